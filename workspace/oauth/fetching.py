"""Reading one small JSON document from an address that a stranger chose, without being sent anywhere by it.

The name is looked up once and the connection goes to what was found, so a second look-up cannot lead elsewhere.
Redirects are not followed. Everything together has five seconds, however slowly a body drips.
"""

import http.client
import ipaddress
import queue
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final
from urllib.parse import SplitResult

SECONDS: Final = 5.0
BYTES: Final = 65_536
TRIES: Final = 3
# A look-up cannot be cut off, so those that hang are bounded: further ones fail at once.
_LOOKUPS = threading.BoundedSemaphore(8)
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
# They carry an IPv4 address within, which some gateway would go to.
_TRANSLATED = (ipaddress.IPv6Network("2001::/32"), ipaddress.IPv6Network("2002::/16"))


class NotFetched(Exception):
    """There is no document to be had, for the reason given."""


def fetch(address: SplitResult, *, private: bool) -> bytes:
    """The body of the https ``address``: at most 64 KiB of JSON. ``private`` lets the connection go to addresses
    that are not public. Raises ``NotFetched``."""
    end = time.monotonic() + SECONDS
    host, port = address.hostname or "", address.port or 443
    found = _look_up(host, port, end)
    if not private and not all(is_public(ip) for ip in found):
        raise NotFetched("the host's address is not a public one")
    for ip in found[:TRIES]:
        try:
            with _connected(ip, host, port, end) as connection:
                connection.request("GET", address.path, headers={"Accept": "application/json", "Connection": "close"})
                return _read(connection.getresponse(), end)
        except (OSError, http.client.HTTPException, ValueError) as error:
            if time.monotonic() >= end:
                break
            failure = type(error).__name__
            continue
    else:
        raise NotFetched(f"the host does not answer ({failure})" if found else "the host has no address")
    raise NotFetched(f"the host took longer than {SECONDS:.0f} seconds")


def is_public(ip: str) -> bool:
    """Whether an address lies in the public internet, and means no other that does not."""
    address = ipaddress.ip_address(ip.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(str(address.ipv4_mapped))
        if address not in _GLOBAL_UNICAST or any(address in network for network in _TRANSLATED):
            return False
    return address.is_global and not address.is_multicast


def _look_up(host: str, port: int, end: float) -> list[str]:
    """The host's addresses, each once, in the resolver's order."""
    if not _LOOKUPS.acquire(blocking=False):
        raise NotFetched("too many look-ups are under way")
    answers: queue.SimpleQueue[list[Any]] = queue.SimpleQueue()

    def ask() -> None:
        try:
            answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except (OSError, UnicodeError):
            answers.put([])
        finally:
            _LOOKUPS.release()

    threading.Thread(target=ask, daemon=True).start()
    try:
        found = answers.get(timeout=max(0.0, end - time.monotonic()))
    except queue.Empty:
        raise NotFetched("the host's name could not be looked up in time") from None
    return list(dict.fromkeys(str(entry[4][0]) for entry in found))


@contextmanager
def _connected(ip: str, host: str, port: int, end: float) -> Iterator[http.client.HTTPSConnection]:
    """A connection to ``ip`` whose certificate is for ``host``, cut off at ``end``."""
    context = ssl.create_default_context()
    raw = socket.create_connection((ip, port), timeout=max(0.01, end - time.monotonic()))
    tls = context.wrap_socket(raw, server_hostname=host, do_handshake_on_connect=False)

    def cut() -> None:
        # A timeout counts from the last byte; only ending the connection stops one that drips.
        with suppress(OSError):
            socket.socket.shutdown(tls, socket.SHUT_RDWR)

    watch = threading.Timer(max(0.01, end - time.monotonic()), cut)
    watch.daemon = True
    watch.start()
    try:
        tls.do_handshake()
        connection = http.client.HTTPSConnection(host, port, context=context)
        connection.sock = tls
        yield connection
    finally:
        watch.cancel()
        tls.close()


def _read(response: http.client.HTTPResponse, end: float) -> bytes:
    if response.status != 200:
        raise NotFetched(f"the host answered {response.status}")
    kind = response.headers.get_content_type()
    if kind != "application/json" and not (kind.startswith("application/") and kind.endswith("+json")):
        raise NotFetched("the document is not JSON by its type")
    body = response.read(BYTES + 1)
    if len(body) > BYTES:
        raise NotFetched(f"the document is longer than {BYTES} bytes")
    if time.monotonic() >= end:
        raise NotFetched(f"the host took longer than {SECONDS:.0f} seconds")
    return body
