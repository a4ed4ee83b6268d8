"""An https server that describes a client, as anybody's may."""

import datetime
import json
import ssl
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.oauth.conftest import CALLBACK

PATH = "/client.json"


@dataclass
class Site:
    """An https server of ``localhost`` that answers as the test tells it."""

    port: int = 0
    status: int = 200
    kind: str = "application/json"
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    drip_s: float = 0
    asked: list[str] = field(default_factory=list)

    @property
    def client_id(self) -> str:
        return f"https://localhost:{self.port}{PATH}"

    def describe(self, **changes: Any) -> "Site":
        document = {
            "client_id": self.client_id,
            "client_name": "Claude Code",
            "redirect_uris": [CALLBACK],
            "token_endpoint_auth_method": "none",
            **changes,
        }
        self.body = json.dumps({name: value for name, value in document.items() if value is not None}).encode()
        return self


def certificate(folder: Path, name: str) -> tuple[Path, Path]:
    """A certificate of its own authority for ``name``, with its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    chain, private = folder / f"{name}.pem", folder / f"{name}.key"
    chain.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return chain, private


def serve(site: Site, chain: Path, private: Path) -> ThreadingHTTPServer:
    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            site.asked.append(self.path)
            self.send_response(site.status)
            self.send_header("Content-Type", site.kind)
            for name, value in site.headers.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                for start in range(0, len(site.body), 1 if site.drip_s else len(site.body) or 1):
                    self.wfile.write(site.body[start : start + 1] if site.drip_s else site.body)
                    time.sleep(site.drip_s)
            except OSError:
                pass

        def log_message(self, format: str, *args: object) -> None:
            pass

    class Quiet(ThreadingHTTPServer):
        def handle_error(self, request: object, client_address: object) -> None:
            pass

    server = Quiet(("127.0.0.1", 0), Answer)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, private)
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    site.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server
