"""How what goes wrong is described: the shapes of problems, an example of each, and which calls answer with which."""

from collections.abc import Sequence
from typing import Any

from drf_spectacular.utils import (
    OpenApiExample,
    OpenApiResponse,
    PolymorphicProxySerializer,
    extend_schema_field,
)
from rest_framework import serializers

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
from workspace.rest import errors, examples

WORDS = ("mine", "theirs", "both", "base", "suggestion")
CHOICE: dict[str, Any] = {
    "oneOf": [
        {"type": "string", "enum": list(WORDS)},
        {
            "type": "object",
            "properties": {"text": {"type": "string"}},
            "required": ["text"],
            "additionalProperties": False,
        },
    ]
}
"""What stands in the place of one hunk."""
STALE = "The document has changed since. Look at the hunks, then resolve the conflict or write upon its head."
STALE_DECISION = "The document has changed since this was decided. Read it, then decide again upon its head."
WRITES: tuple[type[Refusal], ...] = (NotFound, Forbidden, Gone, IdempotencyMismatch)
"""What every write upon a document may be refused with, beside what is sent with it."""


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
    opens_sharing = serializers.BooleanField(
        required=False, help_text="ACCESS_CHANGE: editors could share it afterwards, and cannot now."
    )
    preview = serializers.DictField(
        required=False, help_text="ACCESS_CHANGE: what the change would do now, as its preview tells it."
    )
    confirm_token = serializers.CharField(required=False, help_text="ACCESS_CHANGE: confirms that preview.")
    limit = serializers.IntegerField(required=False, help_text="TOO_LARGE: the limit in bytes.")
    retry_after = serializers.IntegerField(required=False, help_text="Seconds, as in Retry-After.")


@extend_schema_field(CHOICE)
class ChosenOut(serializers.Field[Any, Any, Any, Any]):
    """A choice as it was sent."""

    def to_representation(self, value: Any) -> Any:
        return value


def _span(side: str) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text=f"The first and the last line of it in {side}, from 1; null where it has none.",
    )


class HunkOut(serializers.Serializer[Any]):
    """One place that both sides changed."""

    index = serializers.IntegerField(help_text="Its place in the order, from 0.")
    kind = serializers.ChoiceField(choices=["modify/modify", "insert/insert", "delete/modify"])
    base = serializers.CharField(help_text="What both started from.")
    theirs = serializers.CharField(help_text="What the head says.")
    mine = serializers.CharField(help_text="What the draft says.")
    heading = serializers.CharField(allow_null=True, help_text="The nearest heading above.")
    path = serializers.ListField(
        child=serializers.CharField(), help_text="The headings that it lies under, from the top."
    )
    base_lines = _span("base")
    theirs_lines = _span("theirs")
    mine_lines = _span("mine")
    suggestion = serializers.CharField(
        allow_null=True,
        help_text="Both changes merged word by word, where they leave each other's words alone. Read it first.",
    )


class KeptOut(serializers.Serializer[Any]):
    """A choice that was made for an earlier head and still fits; send it again with the others."""

    hunk = serializers.IntegerField()
    choice = ChosenOut()


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
    kept = KeptOut(
        many=True, help_text="Choices that were made for an earlier head and still fit. The others are to be made."
    )
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


def _example(code: str, status: int, detail: str, data: dict[str, Any]) -> OpenApiExample:
    value = {
        # A document that is the same everywhere may not name this instance.
        "type": f"https://baton.example.org/api/v1/docs#{errors.anchor(code)}",
        "title": errors.TITLES[code],
        "status": status,
        "code": code,
        "detail": detail,
        "request_id": "req_6f1d0c2b9a8e7f5d4c3b",
        **data,
    }
    return OpenApiExample(
        code, value=value, response_only=True, status_codes=[str(status)], media_type=errors.MEDIA_TYPE
    )


def refusals(kinds: Sequence[type[Refusal]], *, conflict: bool) -> dict[Any, OpenApiResponse]:
    """The problem responses of a call, one a status with an example for each code."""
    by_status: dict[int, list[OpenApiExample]] = {}
    said: dict[int, list[str]] = {}
    if conflict:
        by_status[409] = [_example("CONFLICT", 409, STALE, examples.A_CONFLICT)]
        said[409] = ["`CONFLICT`: nothing was written; the draft is kept."]
    for kind in kinds:
        refusal, status = EXAMPLES[kind], errors.STATUS[kind]
        by_status.setdefault(status, []).append(_example(refusal.code, status, refusal.detail, refusal.data))
        first = (kind.__doc__ or "").partition("\n")[0]
        said.setdefault(status, []).append(f"`{refusal.code}`: {first}")
    found = {}
    for status in sorted(by_status):
        shape: Any = Problem
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
