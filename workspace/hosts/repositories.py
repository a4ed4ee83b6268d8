"""A host's plugin folder as a Git repository of one commit, in the protocol that Git clones and fetches by over HTTP.

Hosts that install from Git then need one address and no archive. The commit is made of the files and of nothing else,
no time among it, so that an instance always gives the same one. See gitprotocol-http and gitprotocol-pack of Git:
version 0, without side bands and without negotiation, since there is one commit without a parent and never a part of it
to send.
"""

import hashlib
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from workspace.hosts.bundles import files

BRANCH: Final = "refs/heads/main"
REQUEST_BYTES: Final = 256 << 10
"""A request that is longer is none of a clone of one commit."""
_CAPABILITIES: Final = f"shallow no-progress symref=HEAD:{BRANCH} object-format=sha1 agent=baton"
_COMMIT, _TREE, _BLOB = 1, 2, 3
_KINDS: Final = {_COMMIT: b"commit", _TREE: b"tree", _BLOB: b"blob"}
_FLUSH: Final = b"0000"
_END: Final = b""
"""What a flush is read as; a line of that length is none."""


class Malformed(Exception):
    """What was sent is no request of the protocol, or asks for what is not there."""


@dataclass(kw_only=True)
class Repository:
    """``commit`` is the id of the only commit; ``pack`` everything that it is made of, as Git packs it."""

    commit: str
    pack: bytes

    def advertisement(self) -> bytes:
        """The answer to ``GET info/refs?service=git-upload-pack``."""
        head = f"{self.commit} HEAD\0{_CAPABILITIES}\n".encode()
        branch = f"{self.commit} {BRANCH}\n".encode()
        return b"".join(
            (_line(b"# service=git-upload-pack\n"), _FLUSH, _line(head), _line(branch), _FLUSH),
        )

    def answer(self, request: bytes) -> bytes:
        """The answer to ``POST git-upload-pack``: the pack once the client is done telling what it has. Raises
        ``Malformed``."""
        said = list(_lines(request))
        wanted = [line.split()[1:2] for line in said if line.startswith(b"want ")]
        if not wanted or any(each != [self.commit.encode()] for each in wanted):
            raise Malformed("it wants a commit that is not there")
        # The commit has no parent, so that no depth cuts anything off: the list of what was cut is empty. A client
        # that gave a depth reads that list from a request of its own, which ends where it would tell what it has.
        cut = _FLUSH if any(line.startswith(b"deepen") for line in said) else b""
        if said[-1] == _END and said.count(_END) == 1:
            return cut or _line(b"NAK\n")
        return cut + _line(b"NAK\n") + (self.pack if b"done" in said else b"")


@lru_cache(maxsize=8)
def repository(host: str, address: str) -> Repository:
    """The repository of a host's folder. Raises as ``files``."""
    objects = _Objects()
    tree = objects.tree(_folders(files(host, address)))
    who = b"Baton <baton@localhost> 0 +0000"
    commit = objects.add(
        _COMMIT, b"tree %s\nauthor %s\ncommitter %s\n\nBaton for this host\n" % (tree.hex().encode(), who, who)
    )
    return Repository(commit=commit.hex(), pack=objects.pack())


type _Folder = dict[str, "str | _Folder"]


def _folders(found: Iterable[tuple[str, str]]) -> _Folder:
    top: _Folder = {}
    for path, content in found:
        folder = top
        *above, name = path.split("/")
        for each in above:
            inner = folder.setdefault(each, {})
            assert isinstance(inner, dict)
            folder = inner
        folder[name] = content
    return top


@dataclass
class _Objects:
    """Objects of Git by their ids."""

    held: dict[bytes, tuple[int, bytes]] = field(default_factory=dict)

    def add(self, kind: int, content: bytes) -> bytes:
        """The id of this object, in 20 bytes."""
        # Git names objects by SHA-1; nothing here rests on its strength.
        name = hashlib.sha1(b"%s %d\0%s" % (_KINDS[kind], len(content), content), usedforsecurity=False).digest()
        self.held[name] = (kind, content)
        return name

    def tree(self, folder: Mapping[str, "str | _Folder"]) -> bytes:
        entries = []
        for name, inner in folder.items():
            if isinstance(inner, str):
                entries.append((name.encode(), b"100644", self.add(_BLOB, inner.encode())))
            else:
                # Git sorts folders as if their names ended so.
                entries.append((name.encode() + b"/", b"40000", self.tree(inner)))
        lines = [b"%s %s\0%s" % (mode, name.removesuffix(b"/"), inner) for name, mode, inner in sorted(entries)]
        return self.add(_TREE, b"".join(lines))

    def pack(self) -> bytes:
        pieces = [b"PACK" + (2).to_bytes(4) + len(self.held).to_bytes(4)]
        for kind, content in self.held.values():
            pieces += [_sized(kind, len(content)), zlib.compress(content)]
        whole = b"".join(pieces)
        return whole + hashlib.sha1(whole, usedforsecurity=False).digest()


def _sized(kind: int, size: int) -> bytes:
    """The head of an object in a pack: its kind and size, seven bits a byte after the first four."""
    made = bytearray([kind << 4 | size & 15])
    size >>= 4
    while size:
        made[-1] |= 0x80
        made.append(size & 0x7F)
        size >>= 7
    return bytes(made)


def _line(content: bytes) -> bytes:
    return b"%04x%s" % (len(content) + 4, content)


def _lines(request: bytes) -> Iterator[bytes]:
    """The lines of a request without their ends, ``_END`` for the marks that end its parts. Raises ``Malformed``."""
    at = 0
    while at < len(request):
        size = request[at : at + 4]
        if not re.fullmatch(rb"[0-9A-Fa-f]{4}", size):
            raise Malformed("a line has no length")
        length = int(size, 16)
        if not length:
            yield _END
            at += 4
            continue
        if length <= 4 or at + length > len(request):
            raise Malformed("a line is cut off")
        yield request[at + 4 : at + length].rstrip(b"\n")
        at += length
