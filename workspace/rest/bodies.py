"""Bodies: JSON in UTF-8, an object of known fields with the very types they are declared with."""

import json
from typing import Any, NoReturn

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.settings import api_settings

from workspace.errors import FieldError, Invalid
from workspace.rest.errors import MalformedBody, UnsupportedMedia


def parse(request: Request) -> dict[str, Any]:
    """The JSON object that was sent; {} without a body. Raises Invalid and UnsupportedMedia.

    Read from Django's ``body`` and not from REST framework's ``data``, which takes a body that comes in chunks, and
    so without a Content-Length, for none.
    """
    raw = request.body
    if not raw:
        return {}
    sent = request._request
    charset = (sent.content_params or {}).get("charset", "utf-8")
    if sent.content_type != "application/json" or charset.lower() not in ("utf-8", "utf8"):
        raise UnsupportedMedia
    try:
        parsed = json.loads(raw.decode("utf-8-sig"), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise MalformedBody(f"is not UTF-8 at byte {error.start}. Encode it as UTF-8.") from None
    except json.JSONDecodeError as error:
        raise MalformedBody(f"is not JSON at line {error.lineno}, column {error.colno}: {error.msg}.") from None
    except (ValueError, RecursionError):
        raise MalformedBody("holds a number or a nesting that is out of bounds.") from None
    if not isinstance(parsed, dict):
        raise Invalid("body", "must be an object with fields.")
    # Kept for the audit log, should this call be refused.
    sent.body_of_call = parsed  # type: ignore[attr-defined]
    return parsed


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


@extend_schema_field(OpenApiTypes.STR)
class Text(serializers.Field):
    """Text as it was sent: nothing is trimmed and nothing is turned into text."""

    default_error_messages = {
        "invalid": "must be text.",
        "blank": "is empty.",
        "nul": "holds a NUL character. Remove it.",
        "surrogate": "holds a lone surrogate, which is not a character. Remove it.",
        "long": "has more than {longest} characters.",
    }

    def __init__(self, *, blank: bool = False, longest: int | None = None, **options: Any) -> None:
        super().__init__(**options)
        self.blank = blank
        self.longest = longest

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str):
            self.fail("invalid")
        if not data and not self.blank:
            self.fail("blank")
        if "\0" in data:
            self.fail("nul")
        if self.longest is not None and len(data) > self.longest:
            self.fail("long", longest=self.longest)
        try:
            data.encode()
        except UnicodeEncodeError:
            self.fail("surrogate")
        return data

    def to_representation(self, value: str) -> str:
        return value


@extend_schema_field(OpenApiTypes.BOOL)
class Flag(serializers.Field):
    """true or false, and not a word for them."""

    default_error_messages = {"invalid": "must be true or false."}

    def to_internal_value(self, data: object) -> bool:
        if not isinstance(data, bool):
            self.fail("invalid")
        return data

    def to_representation(self, value: bool) -> bool:
        return value


@extend_schema_field(OpenApiTypes.INT)
class Whole(serializers.Field):
    """A whole number within bounds."""

    default_error_messages = {"invalid": "must be a whole number from {least} to {most}."}

    def __init__(self, *, least: int, most: int, **options: Any) -> None:
        super().__init__(**options)
        self.least = least
        self.most = most

    def to_internal_value(self, data: object) -> int:
        # A bool is an int to Python, and not to whoever sent it.
        if not isinstance(data, int) or isinstance(data, bool) or not self.least <= data <= self.most:
            self.fail("invalid", least=self.least, most=self.most)
        return data

    def to_representation(self, value: int) -> int:
        return value


class Word(serializers.ChoiceField):
    """One of a few words."""

    default_error_messages = {"invalid_choice": "must be one of: {words}."}

    def to_internal_value(self, data: object) -> str:
        if not isinstance(data, str) or data not in self.choices:
            self.fail("invalid_choice", words=", ".join(self.choices))
        return data


class Inputs(serializers.Serializer[Any]):
    """Fields that a body may have; others are refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        unknown = [name for name in data if name not in self.fields]
        if unknown:
            takes = ", ".join(self.fields)
            raise serializers.ValidationError(
                {name[:100]: [f"is not a field of this call, which takes: {takes}."] for name in unknown[:20]}
            )
        return super().to_internal_value(data)


class Explained(Inputs):
    """What a write may say about itself."""

    message = Text(required=False, blank=True, help_text="What was changed, as history shows it.")
    reason = Text(required=False, blank=True, help_text="Why, for whoever looks at it later.")


def read(request: Request, inputs: type[Inputs]) -> dict[str, Any]:
    """The checked body. Raises Invalid naming every field that is wrong, and what ``parse`` raises."""
    return check(parse(request), inputs)


def check(sent: dict[str, Any], inputs: type[Inputs]) -> dict[str, Any]:
    """``sent`` as ``inputs`` takes it. Raises Invalid."""
    form = inputs(data=sent)
    if not form.is_valid():
        raise Invalid(errors=_flat(form.errors))
    return form.validated_data


def _flat(errors: Any, at: str = "") -> list[FieldError]:
    """REST framework's tree of errors as a list: ``choices[1].text``."""
    if isinstance(errors, dict):
        found: list[FieldError] = []
        for name, below in errors.items():
            if name == api_settings.NON_FIELD_ERRORS_KEY:
                found += _flat(below, at or "body")
            elif isinstance(name, int):
                found += _flat(below, f"{at}[{name}]")
            else:
                found += _flat(below, f"{at}.{name}" if at else name)
        return found
    if isinstance(errors, list):
        if errors and all(isinstance(one, str) for one in errors):
            return [FieldError(field=at, message=str(one)) for one in errors]
        return [e for index, below in enumerate(errors) for e in _flat(below, f"{at}[{index}]")]
    return [FieldError(field=at, message=str(errors))]
