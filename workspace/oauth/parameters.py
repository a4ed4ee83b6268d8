"""What programs send to the endpoints: read once, bounded, and only under names that are known."""

from collections.abc import Mapping
from typing import Final

from django.http import HttpRequest, QueryDict
from oauthlib.oauth2.rfc6749.errors import InvalidClientError, InvalidRequestError

LONGEST: Final = 4_096
AUTHORIZE: Final = (
    "client_id",
    "redirect_uri",
    "response_type",
    "response_mode",
    "scope",
    "state",
    "code_challenge",
    "code_challenge_method",
    "prompt",
)
TOKEN: Final = (
    "grant_type",
    "client_id",
    "code",
    "redirect_uri",
    "code_verifier",
    "refresh_token",
    "device_code",
    "scope",
)
REVOKE: Final = ("token", "token_type_hint", "client_id")
DEVICE_CODE: Final = ("client_id", "scope")
RESOURCE: Final = "resource"


def read(sent: QueryDict, names: tuple[str, ...]) -> dict[str, str]:
    """The values of ``names``, where they were sent and are not empty. Whatever else was sent is left out.

    Raises ``InvalidRequestError`` for one that was sent twice (RFC 6749, section 3.1), is longer than 4,096
    characters or holds control characters.
    """
    found: dict[str, str] = {}
    for name in names:
        values = sent.getlist(name)
        if len(values) > 1:
            raise InvalidRequestError(f"{name} was sent more than once.")
        if values and values[0]:
            _check(name, values[0])
            found[name] = values[0]
    return found


def resources(sent: QueryDict) -> list[str]:
    """The values of ``resource``, which RFC 8707 lets come several times."""
    return sent.getlist(RESOURCE)


def form(request: HttpRequest, names: tuple[str, ...]) -> dict[str, str]:
    """What a public client posted. Raises for what is no form, for parameters in the address (RFC 6749, section
    3.2), and for a secret, which no client here has."""
    if request.content_type != "application/x-www-form-urlencoded":
        raise InvalidRequestError("Send the parameters as application/x-www-form-urlencoded.")
    if request.GET:
        raise InvalidRequestError("Send the parameters in the body, not in the address.")
    if "client_secret" in request.POST or request.headers.get("Authorization", "").lower().startswith("basic"):
        raise InvalidClientError("Clients are public here: send client_id in the body, and no secret.")
    return read(request.POST, names)


def need(sent: Mapping[str, str], name: str) -> str:
    """The value of ``name``; raises ``InvalidRequestError`` without one."""
    if name not in sent:
        raise InvalidRequestError(f"{name} is missing.")
    return sent[name]


def _check(name: str, value: str) -> None:
    if len(value) > LONGEST:
        raise InvalidRequestError(f"{name} is longer than {LONGEST} characters.")
    # NUL cannot be looked up in the database, and a line break could end a header.
    if any(ord(character) < 32 or ord(character) == 127 or "\ud800" <= character <= "\udfff" for character in value):
        raise InvalidRequestError(f"{name} holds control characters.")
