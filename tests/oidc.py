"""A provider of OpenID Connect on this machine, as large as a sign-in needs: it asks nobody and checks everything."""

import base64
import hashlib
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

import jwt

CLIENT, SECRET = "baton", "a secret of the client"
KEY = "0123456789abcdef0123456789abcdef"


@dataclass
class Provider:
    """``claims`` is who signs in there next; ``asked`` lists the paths that were asked for."""

    claims: dict[str, Any] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, dict[str, Any]] = field(default_factory=dict)
    tokens: dict[str, dict[str, Any]] = field(default_factory=dict)
    server: Any = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}"

    def start(self) -> "Provider":
        provider = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                provider.answer(self, parse_qs(urlsplit(self.path).query))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                provider.answer(self, parse_qs(body))

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()

    def answer(self, handler: BaseHTTPRequestHandler, lists: dict[str, list[str]]) -> None:
        path, sent = urlsplit(handler.path).path, {name: values[0] for name, values in lists.items()}
        self.asked.append(path)
        views = {
            "/.well-known/openid-configuration": self._metadata,
            "/authorize": self._authorize,
            "/token": self._token,
            "/userinfo": self._userinfo,
        }
        status, headers, body = views[path](handler, sent)
        content = json.dumps(body).encode() if isinstance(body, dict) else body.encode()
        handler.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            handler.send_header(name, value)
        handler.send_header("Content-Length", str(len(content)))
        handler.end_headers()
        handler.wfile.write(content)

    def _metadata(self, handler: Any, sent: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        return (
            200,
            {},
            {
                "issuer": self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.url}/token",
                "userinfo_endpoint": f"{self.url}/userinfo",
                "jwks_uri": f"{self.url}/jwks",
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            },
        )

    def _authorize(self, handler: Any, sent: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        assert sent["client_id"] == CLIENT
        assert sent["code_challenge_method"] == "S256"
        if "error" in self.claims:
            back = {"error": self.claims["error"], "state": sent["state"]}
        else:
            code = secrets.token_hex(8)
            self.codes[code] = {**sent, "claims": dict(self.claims)}
            back = {"code": code, "state": sent["state"]}
        return 302, {"Location": f"{sent['redirect_uri']}?{urlencode(back)}"}, ""

    def _token(self, handler: Any, sent: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        asked = self.codes.pop(sent["code"], None)
        digest = hashlib.sha256(sent.get("code_verifier", "").encode()).digest()
        challenge = base64.urlsafe_b64encode(digest).rstrip(b"=").decode()
        if (
            asked is None
            or (sent["client_id"], sent["client_secret"]) != (CLIENT, SECRET)
            or challenge != asked["code_challenge"]
            or sent["redirect_uri"] != asked["redirect_uri"]
        ):
            return 400, {}, {"error": "invalid_grant"}
        token = secrets.token_hex(8)
        self.tokens[token] = asked["claims"]
        now = int(time.time())
        identity = {"iss": self.url, "aud": CLIENT, "iat": now, "exp": now + 60, **asked["claims"]}
        signed = jwt.encode(identity, KEY, algorithm="HS256", headers={"kid": "1"})
        return 200, {}, {"access_token": token, "token_type": "Bearer", "expires_in": 60, "id_token": signed}

    def _userinfo(self, handler: Any, sent: dict[str, str]) -> tuple[int, dict[str, str], Any]:
        claims = self.tokens.get(handler.headers["Authorization"].removeprefix("Bearer "))
        return (200, {}, claims) if claims else (401, {}, {})
