"""Plugin folders as zip files, with an instance's address filled in. The same address gives the same bytes."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
HANDLER: Final = HERE / "handler" / "baton_hook.py"
PLACEHOLDER: Final = "@BATON_ADDRESS@"
WHERE: Final = {
    "claude-code": "baton/hooks/baton_hook.py",
    "codex": "baton_hook.py",
    "gemini": "hooks/baton_hook.py",
    "opencode": "baton/baton_hook.py",
}
"""Each host that there is a bundle for, and where in it the handler lies."""
_ADDRESS = re.compile(r"https?://[0-9A-Za-z.\-_:\[\]]{1,255}")
_EPOCH = (1980, 1, 1, 0, 0, 0)


def files(host: str, address: str) -> Iterator[tuple[str, str]]:
    """(path inside the bundle, content) of each file. Raises ``KeyError`` for a host that there is none for, and
    ``ValueError`` for an address that could end a string in a file."""
    return filled(HERE / "files" / host, WHERE[host], address)


def filled(folder: Path, handler: str, address: str) -> Iterator[tuple[str, str]]:
    """(path, content) of each file of ``folder``, with the handler among them at the path ``handler``. Raises
    ``ValueError`` as ``files``."""
    if not _ADDRESS.fullmatch(address):
        raise ValueError(f"{address[:200]!r} is not the address of an instance")
    found = [(path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()]
    for name, path in sorted([*found, (handler, HANDLER)]):
        if "__pycache__" not in name:
            yield name, path.read_text(encoding="utf-8").replace(PLACEHOLDER, address)


def bundle(host: str, address: str) -> bytes:
    """The zip of a host's folder. Raises as ``files``."""
    return packed((f"baton-{host}/{name}", content) for name, content in files(host, address))


def packed(entries: Iterable[tuple[str, str]]) -> bytes:
    """A zip of (path, content), in their order and of no time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries:
            entry = zipfile.ZipInfo(name, date_time=_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o100644 << 16
            archive.writestr(entry, content)
    return buffer.getvalue()
