"""Static files, served by the process that serves pages, from what `up` collected."""

import gzip
import json
import mimetypes
from pathlib import Path

from asgiref.sync import sync_to_async
from starlette.types import Receive, Scope, Send

FOR_EVER = b"public, max-age=31536000, immutable"
ASK_AGAIN = b"no-cache"
SMALL_ENOUGH_TO_KEEP = 1024 * 1024
COMPRESSIBLE = ("text/", "application/javascript", "application/json", "image/svg+xml", "application/manifest")


class StaticFiles:
    """An ASGI application for `prefix`. Only names in the manifest exist: no path is ever built from a request.

    Names that carry a hash are cached for ever; plain ones are asked for again.
    """

    def __init__(self, root: Path, prefix: str) -> None:
        self.root = root
        self.prefix = prefix
        self._names: dict[str, bytes] = {}
        self._kept: dict[tuple[str, bool], tuple[bytes, bytes]] = {}
        self._read_manifest()

    def _read_manifest(self) -> None:
        try:
            paths = json.loads((self.root / "staticfiles.json").read_text(encoding="utf-8"))["paths"]
        except OSError:
            return
        self._names = dict.fromkeys(paths, ASK_AGAIN) | dict.fromkeys(paths.values(), FOR_EVER)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        name = scope["path"].removeprefix(self.prefix)
        cache = self._names.get(name)
        if cache is None or scope["method"] not in {"GET", "HEAD"}:
            await self._send(send, 404 if cache is None else 405, [(b"content-type", b"text/plain")], b"")
            return
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        request = {key: value for key, value in scope["headers"] if key in {b"accept-encoding", b"if-none-match"}}
        packed = kind.startswith(COMPRESSIBLE) and b"gzip" in request.get(b"accept-encoding", b"")
        try:
            body, etag = self._kept.get((name, packed)) or await sync_to_async(self._load, thread_sensitive=False)(
                name, packed
            )
        except OSError:
            await self._send(send, 404, [(b"content-type", b"text/plain")], b"")
            return
        headers = [
            (b"etag", etag),
            (b"cache-control", cache),
            (b"vary", b"accept-encoding"),
            (b"cross-origin-resource-policy", b"same-origin"),
        ]
        if etag in request.get(b"if-none-match", b""):
            await self._send(send, 304, headers, b"")
            return
        charset = "; charset=utf-8" if kind.startswith("text/") else ""
        headers += [(b"content-type", (kind + charset).encode()), (b"content-length", str(len(body)).encode())]
        if packed:
            headers.append((b"content-encoding", b"gzip"))
        await self._send(send, 200, headers, b"" if scope["method"] == "HEAD" else body)

    def _load(self, name: str, packed: bool) -> tuple[bytes, bytes]:
        path = self.root / name
        status = path.stat()
        body = path.read_bytes()
        etag = f'"{status.st_mtime_ns:x}-{status.st_size:x}{"-gz" if packed else ""}"'.encode()
        if packed:
            body = gzip.compress(body, 6, mtime=0)
        if len(body) <= SMALL_ENOUGH_TO_KEEP:
            self._kept[name, packed] = body, etag
        return body, etag

    async def _send(self, send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": body})
