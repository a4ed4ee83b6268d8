"""How the calls are described: OpenAPI 3.1, generated from the views, their inputs and what they say they refuse."""

import functools
import json
import threading
from collections.abc import Callable, Sequence
from typing import Any

from django.http import HttpResponse
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.settings import patched_settings
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiParameter,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema,
)
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import (
    AccessChange,
    AlreadyExists,
    Forbidden,
    Gone,
    IdempotencyMismatch,
    Invalid,
    NotFound,
    PreconditionRequired,
    RateLimited,
    Refusal,
    TooLarge,
    Unauthenticated,
    Unavailable,
)
from workspace.rest import errors
from workspace.rest.endpoint import Endpoint

COMMIT = "9f2c1e7a4b8d3650c1d9e8f7a6b5c4d3e2f1a0b9c8d7e6f5a4b3c2d1e0f9a8b7"
PARENT = "1b7d0c5e9a8f4632d1c0b9a8f7e6d5c4b3a2f1e0d9c8b7a6f5e4d3c2b1a0f9e8"
DOCUMENT = "doc_01kb7mzq3v5h8x2c9n4r6t0wye"

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
    "POSTPROCESSING_HOOKS": ["workspace.rest.schema.finish"],
    "TAGS": [
        {"name": name, "description": text}
        for name, text in {
            "me": "Who calls.",
            "folders": "The tree.",
            "documents": "Read and write documents.",
            "history": "Commits, differences and blame.",
            "conflicts": "Drafts that could not be merged.",
            "search": "Find passages.",
            "captures": "What agents keep of their sessions.",
            "background": "Jobs and receipts.",
            "sharing": "Who may do what where.",
        }.items()
    ],
}


class FieldErrorOut(serializers.Serializer[Any]):
    field = serializers.CharField()
    message = serializers.CharField()


class Problem(serializers.Serializer[Any]):
    """Problem details (RFC 9457)."""

    type = serializers.CharField(help_text="An address that explains the code.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    detail = serializers.CharField(help_text="What happened, and what to do next.")
    request_id = serializers.CharField()
    errors = FieldErrorOut(  # type: ignore[assignment]
        many=True, required=False, help_text="What is wrong with which field."
    )
    need = serializers.CharField(required=False, help_text="FORBIDDEN: the role that may.")
    location = serializers.CharField(required=False, help_text="ALREADY_EXISTS: what is there.")
    gains = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="ACCESS_CHANGE: who would read it, or more."
    )
    loses = serializers.ListField(
        child=serializers.CharField(), required=False, help_text="ACCESS_CHANGE: who would not any more."
    )
    limit = serializers.IntegerField(required=False, help_text="TOO_LARGE: the limit in bytes.")
    retry_after = serializers.IntegerField(required=False, help_text="Seconds, as in Retry-After.")


class HunkOut(serializers.Serializer[Any]):
    """One place that both sides changed."""

    kind = serializers.ChoiceField(choices=["modify/modify", "insert/insert", "delete/modify"])
    base = serializers.CharField(help_text="What both started from.")
    theirs = serializers.CharField(help_text="What the head says.")
    mine = serializers.CharField(help_text="What the draft says.")
    heading = serializers.CharField(allow_null=True, help_text="The nearest heading above.")


class ConflictProblem(Problem):
    """Nothing was written, and nothing was lost: the draft is kept under ``conflict_id``."""

    base_commit = serializers.CharField(help_text="What the draft was written upon.")
    head_commit = serializers.CharField(help_text="What the document is now.")
    conflict_id = serializers.CharField(
        allow_null=True, help_text="Where the draft is kept. Null where there is none, as for a deletion."
    )
    id = serializers.CharField(help_text="The document's id.")
    location = serializers.CharField()
    hunks = HunkOut(many=True, help_text="Empty where a merge would be clean.")
    merged_preview = serializers.CharField(help_text="The merged text, with markers where it conflicts.")
    replayed = serializers.BooleanField(help_text="Whether this is the answer of an earlier request.")


EXAMPLES: dict[type[Refusal], Refusal] = {
    Unauthenticated: Unauthenticated("This token is not valid. Mint a new one on the agents page."),
    Forbidden: Forbidden("You are viewer of this document; this needs editor.", need="editor"),
    NotFound: NotFound(),
    AlreadyExists: AlreadyExists(
        "This name is taken. Choose another name, or edit what is there.", location="product/launch/plan.md"
    ),
    IdempotencyMismatch: IdempotencyMismatch(),
    AccessChange: AccessChange(gains=("bob@example.org",), loses=()),
    Gone: Gone(),
    PreconditionRequired: PreconditionRequired('Send If-Match: "COMMIT".', field="If-Match"),
    Invalid: Invalid("location", "is empty."),
    errors.MalformedBody: errors.MalformedBody("is not JSON at line 1, column 9: Expecting value."),
    TooLarge: TooLarge(field="content", limit=1_048_576),
    RateLimited: RateLimited(retry_after=30),
    Unavailable: Unavailable(),
    errors.UnsupportedMedia: errors.UnsupportedMedia(),
    errors.NotAcceptable: errors.NotAcceptable(),
    errors.Unexpected: errors.Unexpected(),
}
EVERYWHERE: tuple[type[Refusal], ...] = (
    Unauthenticated,
    errors.NotAcceptable,
    Invalid,
    errors.Unexpected,
    Unavailable,
)
WITH_BODY: tuple[type[Refusal], ...] = (errors.MalformedBody, TooLarge, errors.UnsupportedMedia, Invalid)
SCHEMA_LOCK = threading.Lock()


def _example(code: str, status: int, detail: str, data: dict[str, Any], name: str) -> OpenApiExample:
    value = {
        # A document that is the same everywhere may not name this instance.
        "type": f"https://baton.example.org/api/v1/docs#{code.lower().replace('_', '-')}",
        "title": errors.TITLES[code],
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": "req_6f1d0c2b9a8e7f5d4c3b",
        **data,
    }
    return OpenApiExample(
        name, value=value, response_only=True, status_codes=[str(status)], media_type=errors.MEDIA_TYPE
    )


CONFLICT_EXAMPLE = {
    "base_commit": PARENT,
    "head_commit": COMMIT,
    "conflict_id": "cfl_01kb7n0a2c4e6g8j0m2p4r6t8v",
    "id": DOCUMENT,
    "location": "product/launch/plan.md",
    "hunks": [
        {
            "kind": "modify/modify",
            "base": "We launch in May.\n",
            "theirs": "We launch in June.\n",
            "mine": "We launch in April.\n",
            "heading": "Dates",
        }
    ],
    "merged_preview": "# Dates\n\n<<<<<<< theirs\nWe launch in June.\n=======\nWe launch in April.\n>>>>>>> mine\n",
    "replayed": False,
}


def refusals(kinds: Sequence[type[Refusal]], *, conflict: bool) -> dict[Any, OpenApiResponse]:
    """The problem responses of a call, one a status with an example for each code."""
    by_status: dict[int, list[OpenApiExample]] = {}
    said: dict[int, list[str]] = {}
    if conflict:
        detail = "The document has changed since. Look at the hunks, then resolve the conflict or write upon its head."
        by_status[409] = [_example("CONFLICT", 409, detail, CONFLICT_EXAMPLE, "CONFLICT")]
        said[409] = ["`CONFLICT`: nothing was written; the draft is kept."]
    for kind in kinds:
        refusal, status = EXAMPLES[kind], errors.STATUS[kind]
        name = refusal.code
        example = _example(refusal.code, status, refusal.detail, refusal.data, name)
        by_status.setdefault(status, []).append(example)
        first = (kind.__doc__ or "").partition("\n")[0]
        said.setdefault(status, []).append(f"`{refusal.code}`: {first}")
    shape: Any = Problem
    found = {}
    for status in sorted(by_status):
        shape = Problem
        if conflict and status == 409:
            shape = PolymorphicProxySerializer(
                component_name="ConflictOrProblem",
                serializers=[ConflictProblem, Problem],
                resource_type_field_name=None,
            )
        found[status, errors.MEDIA_TYPE] = OpenApiResponse(
            response=shape, description=" ".join(said[status]), examples=by_status[status]
        )
    return found


def header(name: str, description: str, *, required: bool = False) -> OpenApiParameter:
    """A request header."""
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.HEADER, required=required, description=description)


def query(
    name: str,
    description: str,
    *,
    required: bool = False,
    type: Any = OpenApiTypes.STR,
    enum: Sequence[str] | None = None,
    default: Any = None,
) -> OpenApiParameter:
    """A query parameter."""
    return OpenApiParameter(
        name, type, OpenApiParameter.QUERY, required=required, description=description, enum=enum, default=default
    )


def in_path(name: str, description: str) -> OpenApiParameter:
    """A part of the path."""
    return OpenApiParameter(name, OpenApiTypes.STR, OpenApiParameter.PATH, required=True, description=description)


LOCATION_IN_PATH = in_path(
    "location",
    "The whole path from the root, percent-encoded once: `product/launch/plan.md`. Slashes may be sent as they are "
    "or as `%2F`.",
)
LOCATION = query("location", "The whole path from the root: `product/launch/plan.md`.", required=True)
LIMIT = OpenApiParameter(
    "limit", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}, description="How many items at most."
)
CURSOR = query("cursor", "`next_cursor` of the answer before; it goes on after that.")
PAGED = [LIMIT, CURSOR]
IF_MATCH = header("If-Match", 'The commit that this is based on, `"COMMIT"`, or `*` for any.')
IF_MATCH_REQUIRED = header("If-Match", str(IF_MATCH.description), required=True)
KEY = header(
    "Idempotency-Key", "1 to 255 characters, the same one when a request is repeated: it is done once, for 24 hours."
)
KEY_REQUIRED = header("Idempotency-Key", str(KEY.description), required=True)
SESSION = header("Baton-Session", "The session of its host that an agent works in, for commits and receipts.")
ETAG = OpenApiParameter(
    "ETag",
    OpenApiTypes.STR,
    OpenApiParameter.HEADER,
    description='`"COMMIT"`: the commit that the content is of.',
    response=[200, 201],
)


def page_of(item: type[serializers.Serializer[Any]]) -> type[serializers.Serializer[Any]]:
    """``{items, next_cursor}`` of ``item``."""
    name = item.__name__.removesuffix("Out") + "PageOut"
    fields = {
        "items": item(many=True),
        "next_cursor": serializers.CharField(allow_null=True, help_text="Null at the end."),
    }
    return type(name, (serializers.Serializer,), {"__doc__": "A part of a list.", **fields})


def operation[V: Callable[..., Any]](
    name: str,
    summary: str,
    *,
    tag: str,
    ok: Any = None,
    status: int = 200,
    request: Any = None,
    parameters: Sequence[OpenApiParameter] = (),
    refuses: Sequence[type[Refusal]] = (),
    conflict: bool = False,
    examples: dict[str, Any] | None = None,
    sends: dict[str, Any] | None = None,
    also: dict[int, str] | None = None,
) -> Callable[[V], V]:
    """Describes a view's method. ``ok`` is the shape of the answer with ``status``, ``examples`` and ``sends`` are
    named answers and bodies, ``also`` are further statuses without a body."""
    kinds = dict.fromkeys((*refuses, *(WITH_BODY if request else ()), *EVERYWHERE))
    given = [
        OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])
        for name, value in (examples or {}).items()
    ]
    asked = [OpenApiExample(name, value=value, request_only=True) for name, value in (sends or {}).items()]
    responses: dict[Any, Any] = {
        status: OpenApiResponse(response=ok, description=summary + ".", examples=given),
        **{code: OpenApiResponse(description=text) for code, text in (also or {}).items()},
        **refusals(list(kinds), conflict=conflict),
    }
    return extend_schema(
        operation_id=name,
        summary=summary,
        tags=[tag],
        parameters=[*parameters, SESSION],
        request=request,
        responses=responses,
        examples=asked,
    )


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
