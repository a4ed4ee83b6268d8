"""The one way to write a git repository, whatever its remote is written like. Pure."""

import re
import unicodedata
from urllib.parse import unquote

from workspace.errors import Invalid

LONGEST = 300
_USUAL = frozenset({"22", "80", "443", "9418"})
_SCHEME = re.compile(r"(?:git\+)?(?:ssh|https?|git)\Z")
_HOST = re.compile(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\Z|\[[0-9a-f:.]+\]\Z")
_PORT = re.compile(r"[0-9]{1,5}\Z")
_FORM = "Write HOST/PATH, such as github.com/acme/shop, or the address that you clone."


def repository(remote: object, *, field: str = "repository") -> str:
    """``github.com/acme/shop`` for any address that git clones it from: without scheme, user, usual port, ``.git``
    and slash at the end, the host in lower case and, where it is not ASCII, as the DNS has it. The path keeps its
    case. What it gives is given again for itself.

    Whatever may be a secret is left out, and no refusal repeats what was sent. Raises ``Invalid`` naming ``field``
    for what is no text, a path of one machine, or longer than 300 characters.
    """
    if not isinstance(remote, str):
        raise Invalid(field, f"must be text. {_FORM}")
    text = unicodedata.normalize("NFC", remote.strip())
    if any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in text):
        raise Invalid(field, f"holds control characters or half of one. {_FORM}")
    if not text:
        raise Invalid(field, f"is empty. {_FORM}")
    host, port, path = _by_address(text, field) if "://" in text else _by_name(text)
    named = _named(host, port, field) + "/" + _path(path, field)
    if len(named) > LONGEST:
        raise Invalid(field, f"has more than {LONGEST} characters.")
    return named


def _by_address(text: str, field: str) -> tuple[str, str, str]:
    """Host, port and path of ``scheme://user@host:port/path?query#fragment``."""
    scheme, _, rest = text.partition("://")
    if not _SCHEME.match(scheme.lower()):
        raise Invalid(field, f"has a scheme that no shared repository has. {_FORM}")
    authority, _, path = re.split(r"[?#]", rest, maxsplit=1)[0].partition("/")
    host, port = _split_port(authority.rpartition("@")[2])
    return host, port, unicodedata.normalize("NFC", unquote(path))


def _by_name(text: str) -> tuple[str, str, str]:
    """The same of ``user@host:path`` and of ``host:port/path``."""
    head, slash, tail = text.partition("/")
    user = ""
    if "@" in head:
        # With a colon before it, what stands before the last @ is a name and a password.
        first = head.index("@")
        user, _, head = head.rpartition("@") if ":" in head[:first] else head.partition("@")
    host, port = _split_port(head)
    if port and (user or not _PORT.match(port)):
        # What follows the colon is the beginning of the path: ``git@host:acme/shop``.
        return host, "", port + slash + tail
    return host, port, tail


def _split_port(authority: str) -> tuple[str, str]:
    if authority.startswith("["):
        host, _, port = authority.partition("]")
        return host + "]", port.removeprefix(":")
    host, _, port = authority.partition(":")
    return host, port


def _named(host: str, port: str, field: str) -> str:
    host = host.lower().rstrip(".")
    if not host.isascii():
        try:
            host = host.encode("idna").decode("ascii")
        except UnicodeError:
            host = ""
    # One letter before a colon is a drive; without a host it is a path of this machine.
    if not _HOST.match(host) or len(host) == 1 or (port and not _PORT.match(port)):
        raise Invalid(field, f"names no host that others could reach. {_FORM}")
    port = port.lstrip("0")
    return host if not port or port in _USUAL else f"{host}:{port}"


def _path(path: str, field: str) -> str:
    names = [name for name in path.split("/") if name]
    if names:
        last = names[-1]
        names[-1] = last[:-4] if last.lower().endswith(".git") and len(last) > 4 else last
    path = "/".join(names)
    # git takes ``helper::anything`` for a program to run.
    if not path or path.startswith(":") or any(name in (".", "..") or name != name.strip() for name in names):
        raise Invalid(field, f"names no repository of its host. {_FORM}")
    if any(c in path for c in "@\\?#") or any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in path):
        # Behind an @ may stand what is left of a password.
        raise Invalid(field, f"has a path with @, \\, ? or # in it. {_FORM}")
    return path
