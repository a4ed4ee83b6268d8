"""The words in which a view describes its calls: parameters, pages, and what a method takes, gives and refuses."""

from collections.abc import Callable, Sequence
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import serializers

from workspace.errors import Refusal
from workspace.queries import pages
from workspace.rest.problems import EVERYWHERE, WITH_BODY, refusals


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
    "limit",
    {"type": "integer", "minimum": 1, "maximum": pages.MOST, "default": pages.DEFAULT},
    description="How many items at most.",
)
CURSOR = query("cursor", "`next_cursor` of the answer before; it goes on after that.")
PAGED = [LIMIT, CURSOR]
IF_MATCH = header("If-Match", 'The commit that this is based on, `"COMMIT"`, or `*` for any.')
IF_MATCH_REQUIRED = header("If-Match", str(IF_MATCH.description), required=True)
KEY = header(
    "Idempotency-Key",
    "1 to 255 characters, the same one when a request is repeated: it is done once. Kept for 24 "
    "hours, unless the instance is set otherwise.",
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


def answered(shape: Any, description: str, *, status: int, examples: dict[str, Any]) -> OpenApiResponse:
    """A further answer of a call, with a body."""
    given = [
        OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])
        for name, value in examples.items()
    ]
    return OpenApiResponse(response=shape, description=description, examples=given)


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
    also: dict[int, str | OpenApiResponse] | None = None,
) -> Callable[[V], V]:
    """Describes a view's method. ``ok`` is the shape of the answer with ``status``, ``examples`` and ``sends`` are
    named answers and bodies, ``also`` are further statuses: a text where they have no body, else ``answered``."""
    kinds = dict.fromkeys((*refuses, *(WITH_BODY if request else ()), *EVERYWHERE))
    given = [
        OpenApiExample(name, value=value, response_only=True, status_codes=[str(status)])
        for name, value in (examples or {}).items()
    ]
    asked = [OpenApiExample(name, value=value, request_only=True) for name, value in (sends or {}).items()]
    responses: dict[Any, Any] = {
        status: OpenApiResponse(response=ok, description=summary + ".", examples=given),
        **{
            code: OpenApiResponse(description=other) if isinstance(other, str) else other
            for code, other in (also or {}).items()
        },
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
