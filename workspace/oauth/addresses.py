"""Where the authorization server's endpoints lie. All are named from ``BATON_BASE_URL``, never from a Host header."""

from typing import Final

from django.conf import settings

AUTHORIZE: Final = "/oauth/authorize"
TOKEN: Final = "/oauth/token"  # noqa: S105
REVOKE: Final = "/oauth/revoke"
REGISTER: Final = "/oauth/register"
DEVICE_CODE: Final = "/oauth/device/code"
DEVICE: Final = "/device"
SERVER_METADATA: Final = "/.well-known/oauth-authorization-server"
RESOURCE_METADATA: Final = "/.well-known/oauth-protected-resource"


def issuer() -> str:
    """The issuer's identifier (RFC 8414): the instance's address without a trailing slash."""
    return str(settings.BATON_BASE_URL)


def at(path: str) -> str:
    """The absolute address of ``path``."""
    return issuer() + path


def is_interface(path: str) -> bool:
    """Whether programs, not browsers, ask at ``path``: their refusals are JSON (RFC 6749, section 5.2)."""
    return path.startswith(("/oauth/", "/.well-known/oauth-", "/.well-known/openid-")) and path != AUTHORIZE
