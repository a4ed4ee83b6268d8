"""What a token may be for (RFC 8707): this instance, by its own address or by that of its MCP endpoint."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from allauth.idp.oidc.internal.resources import InvalidTargetError

from workspace.oauth.addresses import at, issuer

LONGEST = 2_000


def default() -> str:
    """What a client that names no resource means."""
    return at("/mcp")


def requested(sent: Sequence[str]) -> str | None:
    """The one resource that the parameters name, in the form that tokens hold; None without any.

    Raises ``InvalidTargetError`` for several, for one that is not an address and for one that is not here. A token is
    for one audience: with two, each could use it at the other.
    """
    if not sent:
        return None
    if len(sent) > 1:
        raise InvalidTargetError("Only one resource can be asked for.")
    canonical = _canonical(sent[0])
    if canonical not in (issuer(), at("/mcp")):
        raise InvalidTargetError("The resource is not one of this server.")
    return canonical


def _canonical(resource: str) -> str:
    """Scheme and host in lower case, without a default port and a trailing slash."""
    if len(resource) > LONGEST or not resource.isascii() or not resource.isprintable() or "#" in resource:
        raise InvalidTargetError("The resource is not an absolute address without a fragment.")
    try:
        parts = urlsplit(resource)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        raise InvalidTargetError("The resource is not an address.") from None
    if not parts.scheme or not host or "@" in parts.netloc or parts.query or "?" in resource:
        raise InvalidTargetError("The resource is not an absolute address.")
    netloc = f"[{host}]" if ":" in host else host
    if port is not None and port != {"http": 80, "https": 443}.get(parts.scheme):
        netloc += f":{port}"
    return f"{parts.scheme}://{netloc}{parts.path}".rstrip("/")
