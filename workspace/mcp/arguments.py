"""Arguments of tools: strict, each wrong one named, with the mend.

JSON types are taken as they are (``"5"`` is no number), unknown names are refused, and an argument that the chosen
action does not take is refused too: a guard such as ``expected_commit`` is never silently ignored.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from workspace.errors import FieldError, Invalid

Location = Annotated[str, Field(description="Whole path, such as product/notes/launch.md.")]
Key = Annotated[
    str,
    Field(
        min_length=1,
        max_length=255,
        description="The same key again writes nothing and gives the first outcome.",
    ),
]
Message = Annotated[str, Field(max_length=2000, description="What changed, for the history.")]
Reason = Annotated[str, Field(max_length=2000, description="Why, for the history.")]
CommitId = Annotated[str, Field(min_length=7, max_length=64, description="Commit id, or its first 7 characters.")]
Cursor = Annotated[str, Field(max_length=2000, description="next_cursor of the answer before.")]


@dataclass(frozen=True, kw_only=True)
class Takes:
    """What one action takes beside ``action``. ``needs`` must be given, ``may`` can be."""

    needs: tuple[str, ...] = ()
    may: tuple[str, ...] = ()


class Arguments(BaseModel):
    """Base of a tool's arguments. ``ACTIONS`` says per value of ``action`` what it takes; empty without actions."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    ACTIONS: ClassVar[Mapping[str, Takes]] = {}

    @classmethod
    def parse(cls, raw: Mapping[str, Any]) -> Self:
        """Checks and types ``raw``. An optional argument that is null counts as left out. Raises ``Invalid``."""
        fields = cls._fields()
        given = {
            name: value
            for name, value in raw.items()
            if value is not None or name not in fields or fields[name].is_required()
        }
        if problems := list(_bad_text(given)):
            raise Invalid(errors=problems)
        try:
            parsed = cls.model_validate(given)
            problems = []
        except ValidationError as error:
            problems = [cls._problem(e) for e in error.errors(include_url=False)]
        named = {problem.field for problem in problems}
        problems += [problem for problem in cls._action_problems(given) if problem.field not in named]
        if problems:
            raise Invalid(errors=problems)
        return parsed

    @classmethod
    def _fields(cls) -> dict[str, FieldInfo]:
        """The fields by the names that callers use."""
        return {field.alias or name: field for name, field in cls.model_fields.items()}

    @classmethod
    def _action_problems(cls, given: Mapping[str, Any]) -> Iterator[FieldError]:
        """What the chosen action needs and was not given, and what it was given and does not take."""
        field = cls._fields().get("action")
        action = given.get("action", field.default if field else None)
        takes = cls.ACTIONS.get(action) if isinstance(action, str) else None
        if takes is None:
            return
        for name in takes.needs:
            if name not in given:
                yield FieldError(field=name, message=f"is required with action {action}.")
        for name in given:
            if name in cls._fields() and name not in {"action", *takes.needs, *takes.may}:
                yield FieldError(field=name, message=f"is not taken by action {action}. Leave it out.")

    @classmethod
    def _problem(cls, error: ErrorDetails) -> FieldError:
        # Members of a union are named by their type in the path; a caller knows only its own fields and indexes.
        known = _NAMES | set(cls._fields())
        path = [str(part) for part in error["loc"] if isinstance(part, int) or part in known]
        name = ".".join(path) or str(error["loc"][0] if error["loc"] else "arguments")
        return FieldError(field=_shown(name), message=cls._message(error))

    @classmethod
    def _message(cls, error: ErrorDetails) -> str:
        context = error.get("ctx", {})
        match error["type"]:
            case "missing":
                return "is required."
            case "extra_forbidden":
                return f"is not an argument here. Allowed: {', '.join(cls._fields())}."
            case "literal_error":
                return f"must be one of {context['expected'].replace(chr(39), '')}."
            case "string_too_long":
                return f"is longer than {context['max_length']} characters. Shorten it."
            case "string_too_short":
                return f"is shorter than {context['min_length']} characters."
            case "too_long":
                return f"has more than {context['max_length']} items."
            case "greater_than_equal":
                return f"must be at least {context['ge']}."
            case "less_than_equal":
                return f"must be at most {context['le']}."
            case kind:
                return _TYPES.get(kind, "is not of the form that this argument takes.")


_NAMES = {"text", "hunk", "choice"}
_TYPES = {
    "string_type": "must be text.",
    "int_type": "must be a whole number.",
    "bool_type": "must be true or false.",
    "list_type": 'must be a list, such as ["product", "notes"].',
    "dict_type": "must be an object.",
    "model_type": "must be an object.",
}


def _shown(name: str) -> str:
    """A field name that came from the caller, fit to be sent back."""
    return name[:100].encode("utf-8", "replace").decode()


def _bad_text(value: Any, path: str = "") -> Iterator[FieldError]:
    """Texts that no part of the product could store or send back."""
    match value:
        case str():
            try:
                value.encode("utf-8")
            except UnicodeEncodeError:
                yield FieldError(field=path, message="holds a lone surrogate, which is not a character. Remove it.")
            if "\0" in value:
                yield FieldError(field=path, message="holds a NUL character. Remove it.")
        case dict():
            for name, item in value.items():
                yield from _bad_text(item, f"{path}.{_shown(name)}" if path else _shown(name))
        case list():
            for index, item in enumerate(value):
                yield from _bad_text(item, f"{path}.{index}")


@contextmanager
def naming(**names: str) -> Iterator[None]:
    """Names the fields of a refusal as the caller knows them: ``naming(q="query")``."""
    try:
        yield
    except Invalid as invalid:
        raise Invalid(errors=[replace(e, field=names.get(e.field, e.field)) for e in invalid.errors]) from None


def schema(arguments: type[Arguments]) -> dict[str, Any]:
    """The JSON schema of ``arguments`` as tools publish it: an optional argument is left out, not sent as null."""
    generated = untitled(arguments.model_json_schema())
    generated["properties"] = {name: _without_null(of) for name, of in generated["properties"].items()}
    # Names and types say enough of the parts; what is sent with every prompt is kept short.
    for part in generated.get("$defs", {}).values():
        part.pop("description", None)
    return generated


def untitled(generated: dict[str, Any]) -> dict[str, Any]:
    """A schema without the titles that pydantic makes of names; they tell a reader nothing."""
    plain = _untitled(generated)
    assert isinstance(plain, dict)
    return plain


def _untitled(node: Any, *, named: bool = False) -> Any:
    """``node`` without titles. ``named``: its keys are names of fields, which may well be ``title``."""
    if isinstance(node, list):
        return [_untitled(item) for item in node]
    if not isinstance(node, dict):
        return node
    return {
        name: _untitled(value, named=not named and name in ("properties", "$defs"))
        for name, value in node.items()
        if named or name != "title"
    }


def _without_null(of: dict[str, Any]) -> dict[str, Any]:
    rest = {name: value for name, value in of.items() if not (name == "default" and value in (None, "", False))}
    options = [option for option in rest.pop("anyOf", ()) if option != {"type": "null"}]
    if not options:
        return rest
    return {**options[0], **rest} if len(options) == 1 else {**rest, "anyOf": options}
