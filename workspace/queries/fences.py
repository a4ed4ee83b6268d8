"""The key of the marks around what others wrote (``workspace.digest.fence``)."""

from django.utils.crypto import salted_hmac

_SALT = "workspace.mcp.fence"


def sign(text: str) -> str:
    """Hex characters that only this instance can make of ``text``."""
    return salted_hmac(_SALT, text, algorithm="sha256").hexdigest()
