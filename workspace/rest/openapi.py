"""The OpenAPI 3.1 document, generated from the views, their inputs and what they say they refuse."""

import functools
import json
import threading
from typing import Any

from django.http import HttpResponse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import patched_settings
from rest_framework.request import Request

from workspace.rest.endpoint import Endpoint

SETTINGS: dict[str, Any] = {
    "TITLE": "Baton",
    "DESCRIPTION": (
        "Documents that people and AI agents hand to each other. Every write is a commit, and two writers never "
        "lose each other's words.\n\n"
        "Authenticate with `Authorization: Bearer TOKEN`, or with the session of a signed-in browser and its CSRF "
        "token. Lists take `limit` (1 to 100) and `cursor`, and answer `{items, next_cursor}`. Errors are problem "
        "details (RFC 9457) with a stable `code`. Every answer has an `X-Request-Id`."
    ),
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "ENUM_ADD_EXPLICIT_BLANK_NULL_CHOICE": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "SORT_OPERATIONS": False,
    "SORT_OPERATION_PARAMETERS": False,
    "COMPONENT_SPLIT_PATCH": False,
    "POSTPROCESSING_HOOKS": ["workspace.rest.openapi.finish"],
    "TAGS": [
        {"name": name, "description": text}
        for name, text in {
            "me": "Who calls.",
            "folders": "The tree.",
            "documents": "Read and write documents.",
            "history": "Commits, differences and blame.",
            "conflicts": "Drafts that could not be merged.",
            "search": "Find passages.",
            "captures": "What agents keep of their sessions, and which folder belongs to which repository.",
            "background": "Jobs and receipts.",
            "sharing": "Who may do what where.",
        }.items()
    ],
}
SCHEMA_LOCK = threading.Lock()


class BearerScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "workspace.rest.auth.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {"type": "http", "scheme": "bearer", "description": "An agent's token."}


class SessionScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    target_class = "workspace.rest.auth.BrowserAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "session",
            "description": "The session of a signed-in browser; a write also carries X-CSRFToken.",
        }


def finish(result: dict[str, Any], generator: SchemaGenerator, **_: Any) -> dict[str, Any]:
    """What is the same for every call: the request's id, and the closed shape of what is sent."""
    request_id = {
        "description": "The request's name, as in a problem's `request_id`. A sane one that was sent is kept.",
        "schema": {"type": "string"},
    }
    result["components"].setdefault("headers", {})["RequestId"] = request_id
    for path in result["paths"].values():
        for call in path.values():
            for status, response in call["responses"].items():
                headers = response.setdefault("headers", {})
                headers["X-Request-Id"] = {"$ref": "#/components/headers/RequestId"}
                if status in ("429", "503"):
                    headers["Retry-After"] = {"description": "Seconds.", "schema": {"type": "integer"}}
                if status == "401":
                    headers["WWW-Authenticate"] = {"description": "RFC 6750.", "schema": {"type": "string"}}
    for name, shape in result["components"]["schemas"].items():
        if not name.endswith("Out") and name not in ("Problem", "ConflictProblem") and "properties" in shape:
            shape["additionalProperties"] = False
    return result


def generate() -> dict[str, Any]:
    """The OpenAPI document of the calls in ``workspace.rest.urls``."""
    # The settings of the generator are one for the process.
    with SCHEMA_LOCK, patched_settings(SETTINGS):
        GENERATOR_STATS.reset()
        generator = SchemaGenerator(urlconf="workspace.rest.urls")  # type: ignore[no-untyped-call]
        return generator.get_schema(request=None, public=True)  # type: ignore[no-untyped-call]


@functools.cache
def document() -> bytes:
    """The OpenAPI document as JSON; made once in a process."""
    return json.dumps(generate(), ensure_ascii=False, separators=(",", ":")).encode()


class OpenApiDocument(Endpoint):
    """The description of this interface."""

    public = True
    authentication_classes = []
    schema = None

    def get(self, request: Request) -> HttpResponse:
        response = HttpResponse(document(), content_type="application/json")
        response["Cache-Control"] = "public, max-age=300"
        return response
