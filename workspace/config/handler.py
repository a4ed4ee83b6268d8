"""Django behind ASGI, with one hop to a thread for each request."""

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.core.handlers.base import BaseHandler
from django.http import HttpRequest
from django.http.response import HttpResponseBase


class Handler(ASGIHandler):
    """Runs middleware and view together in the request's thread.

    The stock handler runs the chain in the event loop and goes to the thread and back for each synchronous
    middleware, twice: with ten of them that took longer than the view. An asynchronous view still works; what it
    streams is read in the loop.
    """

    def __init__(self) -> None:
        super().__init__()
        self._chain = BaseHandler()
        self._chain.load_middleware(is_async=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self._chain.get_response, thread_sensitive=True)(request)
