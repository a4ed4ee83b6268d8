"""Where an answer may be sent: the rules for redirect addresses of RFC 8252, and how one is compared with another."""

import re
from collections.abc import Iterable
from urllib.parse import urlsplit

from django.conf import settings

LONGEST = 512
# What RFC 3986 lets an address be made of, without "#" and "*".
_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~:/?\[\]@!$&'()+,;=%]+\Z")
_LOOPBACK = re.compile(r"http://(127\.0\.0\.1|\[::1\]|localhost)(?::([0-9]{1,5}))?((?:[/?].*)?)\Z")


def check(uri: str) -> None:
    """Raises ``ValueError``, with a reason, for an address that no client may have.

    Taken are ``http`` on this machine's loopback, ``https``, and schemes that belong to an application: those
    written like a reversed domain name, and those that ``BATON_OAUTH_SCHEMES`` lists.
    """
    if len(uri) > LONGEST:
        raise ValueError(f"is longer than {LONGEST} characters")
    if "#" in uri:
        raise ValueError("has a fragment")
    if not _CHARACTERS.match(uri):
        raise ValueError("holds characters that no redirect address may")
    try:
        parts = urlsplit(uri)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise ValueError("is not an address") from None
    if "@" in parts.netloc:
        raise ValueError("names a user")
    if parts.scheme == "http":
        if _loopback(uri) is None:
            raise ValueError("is http, which only 127.0.0.1, [::1] and localhost may be; use https")
    elif parts.scheme == "https":
        if not host:
            raise ValueError("names no host")
    elif not parts.scheme or not (parts.netloc or parts.path):
        raise ValueError("is not an absolute address")
    elif "." not in parts.scheme and parts.scheme not in settings.BATON_OAUTH_SCHEMES:
        raise ValueError("has a scheme that is not one's own: use https, a loopback address or com.example.app:")


def matches(registered: Iterable[str], sent: str) -> bool:
    """Whether ``sent`` is one of ``registered``: the same characters, or on loopback the same but for the port.

    A program cannot know before it listens which port is free (RFC 8252, section 7.3).
    """
    loopback = _loopback(sent)
    return any(uri == sent or (loopback is not None and _loopback(uri) == loopback) for uri in registered)


def on_loopback(uri: str) -> bool:
    """Whether the answer stays on the machine of who asks."""
    return _loopback(uri) is not None


def host(uri: str) -> str:
    """What a person is shown of an address: its host, or the scheme of an application."""
    parts = urlsplit(uri)
    return parts.hostname or "" if parts.scheme in ("http", "https") else f"{parts.scheme}:"


def stays(host: str) -> bool:
    """Whether what ``host`` gives is the person's own computer, or an application on it."""
    return host in ("127.0.0.1", "::1", "localhost") or host.endswith(":")


def _loopback(uri: str) -> tuple[str, str] | None:
    """Host and rest of a loopback address, without the port."""
    found = _LOOPBACK.match(uri)
    if found is None or int(found[2] or 1) > 65535:
        return None
    return found[1], found[3]
