"""The reference for people: Swagger UI from this instance's own files, under the same content security policy."""

from typing import Any

from django.http import HttpResponse
from django.middleware.csrf import get_token
from django.shortcuts import render
from rest_framework.request import Request

from workspace.rest.endpoint import Endpoint
from workspace.rest.errors import STATUS, TITLES, anchor


class Docs(Endpoint):
    """A page; it asks for the description and, where one is signed in, tries calls with the session."""

    public = True
    authentication_classes = []
    schema = None

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Nothing to check: everybody may read it, as HTML."""

    def get(self, request: Request) -> HttpResponse:
        codes = {"CONFLICT": (409, "Nothing was written: the document has changed since. The draft is kept.")}
        for kind, status in STATUS.items():
            codes.setdefault(kind.code, (status, (kind.__doc__ or "").replace("``", "")))
        problems = [
            {"anchor": anchor(code), "code": code, "title": TITLES[code], "status": s, "text": text}
            for code, (s, text) in sorted(codes.items(), key=lambda item: (item[1][0], item[0]))
        ]
        signed_in = request._request.user.is_authenticated
        context = {"problems": problems, "csrf": get_token(request._request) if signed_in else ""}
        return render(request._request, "rest/docs.html", context)
