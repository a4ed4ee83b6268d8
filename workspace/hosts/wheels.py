"""The package for programs as a wheel, with an instance's address filled in. The same address gives the same bytes."""

import base64
import hashlib
import re
from collections.abc import Iterator
from typing import Final

from workspace.hosts.bundles import HERE, filled, packed

FOLDER: Final = HERE / "files" / "python"
_VERSION = re.compile(r'(?m)^__version__ = "([0-9.]+)"$')


def _version() -> str:
    found = _VERSION.search((FOLDER / "baton" / "__init__.py").read_text(encoding="utf-8"))
    if not found:
        raise ValueError("the package has no version")
    return found[1]


VERSION: Final = _version()
NAME: Final = f"baton_client-{VERSION}-py3-none-any.whl"
"""The file's name, which tells installers what is in it: they take it from the address."""
ABOUT: Final = f"baton_client-{VERSION}.dist-info"
METADATA: Final = """Metadata-Version: 2.1
Name: baton-client
Version: {version}
Summary: What others left before each prompt, and what came of it kept, for programs that drive models.
Home-page: {address}/help/python
Requires-Python: >=3.9
"""
WHEEL: Final = """Wheel-Version: 1.0
Generator: baton ({version})
Root-Is-Purelib: true
Tag: py3-none-any
"""


def files(address: str) -> Iterator[tuple[str, str]]:
    """(path, content) of each file, the record of them last. Raises ``ValueError`` for an address that could end a
    string in a file."""
    found = list(filled(FOLDER, "baton/_hook.py", address))
    found += [
        (f"{ABOUT}/METADATA", METADATA.format(version=VERSION, address=address)),
        (f"{ABOUT}/WHEEL", WHEEL.format(version=VERSION)),
        (f"{ABOUT}/top_level.txt", "baton\n"),
    ]
    yield from found
    lines = [f"{name},sha256={_digest(content)},{len(content.encode())}" for name, content in found]
    yield f"{ABOUT}/RECORD", "\n".join([*lines, f"{ABOUT}/RECORD,,", ""])


def _digest(content: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()


def wheel(address: str) -> bytes:
    """The wheel. Raises as ``files``."""
    return packed(files(address))
