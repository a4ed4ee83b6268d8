"""What all views share: who calls, what they accept, and the headers of every answer."""

from typing import Any, cast

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers
from rest_framework.parsers import JSONParser
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.views import APIView

from workspace.actor import Actor
from workspace.errors import Unauthenticated
from workspace.rest.answers import nothing
from workspace.rest.auth import BrowserAuthentication, TokenAuthentication
from workspace.rest.errors import NoEndpoint, NotAcceptable, handler

ACCEPTED = ("application/json", "application/problem+json", "application/*", "*/*")


class Endpoint(APIView):
    """A REST framework view that reads bodies and writes answers by itself, since its own negotiation, parsers and
    renderers cost more than the query of a read. ``actor`` is who calls; nobody is ``Unauthenticated``."""

    authentication_classes = [TokenAuthentication, BrowserAuthentication]
    permission_classes = []
    throttle_classes = []
    parser_classes = [JSONParser]
    renderer_classes = [JSONRenderer]
    http_method_names = ["get", "head", "post", "put", "patch", "delete", "options"]

    actor: Actor
    public = False

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if not self.public:
            if request.auth is None:
                raise Unauthenticated
            self.actor = cast(Actor, request.auth)
        if not accepts_json(request.META.get("HTTP_ACCEPT", "")):
            raise NotAcceptable

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {}

    def get_exception_handler(self) -> Any:
        return handler

    def options(self, request: Request, *args: Any, **kwargs: Any) -> HttpResponse:  # type: ignore[override]
        """The methods of an address; the same for every location, there or not."""
        return nothing(headers={"Allow": ", ".join(self.allowed_methods)})

    def finalize_response(  # type: ignore[override]
        self, request: Request, response: HttpResponseBase, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        # A browser's cache is one for all who sign in with it, so it must ask every time.
        safe = request.method in ("GET", "HEAD")
        response.headers.setdefault("Cache-Control", "private, no-cache" if safe else "no-store")
        patch_vary_headers(response, ["Authorization", "Cookie"])
        return response


class Unknown(Endpoint):
    """Every address below ``/api`` that is no call."""

    public = True
    authentication_classes = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        raise NoEndpoint


def accepts_json(header: str) -> bool:
    """Whether an ``Accept`` header takes JSON; an empty one takes everything."""
    if header in ("", "*/*", "application/json"):
        return True
    for part in header.split(","):
        name, _, rest = part.partition(";")
        parameters = [p.replace(" ", "") for p in rest.lower().split(";")]
        if name.strip().lower() in ACCEPTED and not any(p in ("q=0", "q=0.0", "q=0.00", "q=0.000") for p in parameters):
            return True
    return False
