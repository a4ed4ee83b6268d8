"""Client ids that are addresses of documents: read only where that is wanted, and leading nowhere else."""

import ipaddress
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from allauth.idp.oidc.models import Client as Registered
from django.core.cache import cache
from django.test import Client

from tests.cast import Cast
from tests.oauth.conftest import CALLBACK, Host, browser_of, works
from tests.oauth.site import PATH, Site, certificate, serve
from workspace.oauth import documents, fetching


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """The server, trusted by this process."""
    chain, private = certificate(tmp_path, "localhost")
    monkeypatch.setenv("SSL_CERT_FILE", os.fspath(chain))
    site = Site()
    server = serve(site, chain, private)
    yield site.describe()
    server.shutdown()
    server.server_close()


@pytest.fixture
def reading(settings: Any) -> Any:
    """An instance that reads documents of ``localhost``, although that is no public address."""
    settings.BATON_OAUTH_CLIENT_HOSTS = ("localhost",)
    settings.BATON_OAUTH_PRIVATE_ADDRESSES = True
    return settings


def host_of(site: Site, cast: Cast) -> Host:
    return Host(browser=browser_of(cast, "alice"), client_id=site.client_id)


def test_a_client_signs_in_by_its_document(site: Site, reading: Any, cast: Cast) -> None:
    host = host_of(site, cast)
    page = host.ask()
    assert page.context["asking"].client_host == "localhost"
    assert page.context["asking"].client_name == "Claude Code"
    found = host.sign_in()
    assert works(found["access_token"])
    assert host.refresh(found["refresh_token"]).status_code == 200
    assert site.asked == [PATH]


def test_nothing_is_read_unless_hosts_are_listed(site: Site, settings: Any, cast: Cast) -> None:
    settings.BATON_OAUTH_PRIVATE_ADDRESSES = True
    for hosts in ((), ("other.example",), ("ocalhost",)):
        settings.BATON_OAUTH_CLIENT_HOSTS = hosts
        assert host_of(site, cast).ask().status_code == 400
    assert site.asked == []
    settings.BATON_OAUTH_CLIENT_HOSTS = ("*",)
    assert host_of(site, cast).ask().status_code == 200


def test_a_private_address_is_not_connected_to_unless_a_setting_says_so(site: Site, settings: Any) -> None:
    parts = documents.urlsplit(site.client_id)
    with pytest.raises(fetching.NotFetched, match="public"):
        fetching.fetch(parts, private=False)
    assert site.asked == []
    assert json.loads(fetching.fetch(parts, private=True))["client_id"] == site.client_id


def test_a_name_is_looked_up_once_and_gone_to(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that is public at the check and private at the connection (DNS rebinding)."""
    answers = iter([[("93.184.216.34", site.port)], [("127.0.0.1", site.port)]])
    asked, gone = [], []

    def look_up(host: str, port: int, **_: Any) -> list[Any]:
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", address) for address in next(answers)]

    def connect(address: tuple[str, int], timeout: float) -> socket.socket:
        gone.append(address)
        raise OSError

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(fetching.NotFetched):
        fetching.fetch(documents.urlsplit(site.client_id), private=False)
    assert asked == ["localhost"]
    assert gone == [("93.184.216.34", site.port)]


def test_one_private_address_among_several_is_enough_to_refuse(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    found = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ip, 443)) for ip in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(fetching.NotFetched, match="public"):
        fetching.fetch(documents.urlsplit(site.client_id), private=False)


@pytest.mark.parametrize(
    "ip",
    [
        "127.0.0.1", "127.255.255.254", "0.0.0.0",  # noqa: S104
        "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254",
        "100.64.0.1", "100.127.255.255", "192.0.0.8", "192.0.2.1", "198.18.0.1", "203.0.113.1", "224.0.0.1",
        "239.255.255.250", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
        "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "fec0::1", "ff02::1", "2001:db8::1", "64:ff9b::7f00:1",
        "64:ff9b:1::1", "2002:7f00:1::", "2001:0:53aa:64c:0:0:0:1", "100::1", "::7f00:1",
    ],
)  # fmt: skip
def test_an_address_that_is_not_public(ip: str) -> None:
    assert not fetching.is_public(ip)


@pytest.mark.parametrize("ip", ["93.184.216.34", "1.1.1.1", "::ffff:1.1.1.1", "2606:4700::1111", "2a00:1450:4001::1"])
def test_an_address_that_is_public(ip: str) -> None:
    assert fetching.is_public(ip)
    assert ipaddress.ip_address(ip)


@pytest.mark.parametrize(
    "client_id",
    [
        "http://clients.example.org/c.json",
        "HTTPS://clients.example.org/c.json",
        "https://clients.example.org",
        "https://clients.example.org/",
        "https://clients.example.org/a/../c.json",
        "https://clients.example.org//c.json",
        "https://clients.example.org/c.json?x=1",
        "https://clients.example.org/c.json#x",
        "https://user@clients.example.org/c.json",
        "https://clients.example.org:443/c.json",
        "https://clients.example.org:8443/c.json",
        "https://clients.example.org:/c.json",
        "https://Clients.example.org/c.json",
        "https://clients.example.org\\@evil.example/c.json",
        "https://clients.example.org/%2e%2e/c.json",
        "https://clients.example.org/c .json",
        "https://localhost/c.json",
        "https://127.0.0.1/c.json",
        "https://0x7f.1/c.json",
        "https://2130706433/c.json",
        "https://[::1]/c.json",
        "https://clients.example.org/" + "a" * 100,
        "https:clients.example.org/c.json",
    ],
)
def test_an_id_that_is_no_address_of_a_document(client_id: str, settings: Any, host: Host) -> None:
    settings.BATON_OAUTH_CLIENT_HOSTS = ("*",)
    assert not documents.is_allowed(client_id)
    assert host.ask(client_id=client_id).status_code == 400


def test_only_somebody_who_is_signed_in_makes_it_read(site: Site, reading: Any, cast: Cast) -> None:
    host = host_of(site, cast)
    host.browser = Client()
    assert host.ask()["Location"].startswith("/accounts/login/")
    assert host.ask(prompt="none").status_code == 400
    for path in ("/oauth/token", "/oauth/revoke", "/oauth/device/code"):
        form = {"client_id": site.client_id, "grant_type": "refresh_token", "refresh_token": "x", "token": "x"}
        assert host.post(path, **form).json()["error"] == "invalid_client"
    assert site.asked == []


@pytest.mark.parametrize(
    "change",
    [
        {"client_id": None},
        {"client_id": "https://localhost/other.json"},
        {"redirect_uris": None},
        {"redirect_uris": ["javascript:alert(1)", CALLBACK]},
        {"redirect_uris": ["http://evil.example/cb", CALLBACK]},
        {"redirect_uris": ["https://*.example/cb", CALLBACK]},
        {"grant_types": ["client_credentials", "authorization_code"]},
        {"response_types": ["token", "code"]},
        {"token_endpoint_auth_method": "private_key_jwt"},
        {"token_endpoint_auth_method": "client_secret_basic"},
        {"client_secret": "x"},
        {"client_name": 7},
    ],
)
def test_a_document_is_checked_as_a_registration_is(
    site: Site, reading: Any, cast: Cast, change: dict[str, Any]
) -> None:
    site.describe(**change)
    assert host_of(site, cast).ask().status_code == 400
    assert site.asked == [PATH]
    assert not Registered.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"status": 302, "headers": {"Location": "https://localhost/other.json"}},
        {"status": 301, "headers": {"Location": "http://169.254.169.254/"}},
        {"status": 404},
        {"status": 500},
        {"kind": "text/html"},
        {"kind": "text/plain"},
        {"body": b"[]"},
        {"body": b"{"},
        {"body": b"\xff"},
        {"body": b"[" * 60_000},
        {"body": b'{"a": "' + b"x" * 70_000 + b'"}'},
    ],
)
def test_what_is_no_document_is_not_taken(site: Site, reading: Any, cast: Cast, change: dict[str, Any]) -> None:
    for name, value in change.items():
        setattr(site, name, value)
    assert host_of(site, cast).ask().status_code == 400
    assert site.asked == [PATH]
    assert not Registered.objects.exists()


def test_a_certificate_of_somebody_else_is_refused(tmp_path: Path, site: Site, reading: Any, cast: Cast) -> None:
    other = Site()
    server = serve(other, *certificate(tmp_path, "other"))
    try:
        assert host_of(other.describe(), cast).ask().status_code == 400
        assert other.asked == []
    finally:
        server.shutdown()
        server.server_close()


def test_a_body_that_drips_holds_nobody_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 1.0)
    site.drip_s = 0.2
    begun = time.monotonic()
    with pytest.raises(fetching.NotFetched, match="longer"):
        fetching.fetch(documents.urlsplit(site.client_id), private=True)
    assert time.monotonic() - begun < 2


def test_a_server_that_says_nothing_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        begun = time.monotonic()
        with pytest.raises(fetching.NotFetched):
            fetching.fetch(documents.urlsplit(f"https://localhost:{silent.getsockname()[1]}/c.json"), private=True)
        assert time.monotonic() - begun < 1.5


def test_a_name_server_that_says_nothing_holds_nobody_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "SECONDS", 0.3)
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(10) and [])
    begun = time.monotonic()
    with pytest.raises(fetching.NotFetched, match="looked up"):
        fetching.fetch(documents.urlsplit("https://clients.example.org/c.json"), private=False)
    assert time.monotonic() - begun < 1
    over.set()


def test_a_document_is_read_again_after_an_hour_and_its_changes_hold(site: Site, reading: Any, cast: Cast) -> None:
    host = host_of(site, cast)
    assert host.ask().status_code == 200
    assert host.ask().status_code == 200
    assert len(site.asked) == 1
    age(3_700)
    site.describe(redirect_uris=["http://127.0.0.1/elsewhere"])
    assert host.ask().status_code == 400
    assert len(site.asked) == 2


def test_a_host_that_is_down_is_believed_for_a_day(site: Site, reading: Any, cast: Cast) -> None:
    host = host_of(site, cast)
    assert host.ask().status_code == 200
    site.status = 503
    age(3_700)
    assert host.ask().status_code == 200
    # It is not asked again at once.
    assert host.ask().status_code == 200
    assert len(site.asked) == 2
    age(25 * 3_600)
    cache.clear()
    assert host.ask().status_code == 400


def test_a_host_that_is_no_longer_listed_vouches_for_nobody(site: Site, reading: Any, cast: Cast) -> None:
    host = host_of(site, cast)
    found = host.sign_in()
    reading.BATON_OAUTH_CLIENT_HOSTS = ("other.example",)
    assert host.ask().status_code == 400
    assert host.refresh(found["refresh_token"]).json()["error"] == "invalid_client"


def test_reading_is_bounded_for_an_address(site: Site, reading: Any, cast: Cast) -> None:
    reading.BATON_OAUTH_PER_MINUTE = 2
    host = host_of(site, cast)
    statuses = []
    for n in range(3):
        statuses.append(host.ask(client_id=f"https://localhost:{site.port}/{n}.json").status_code)
    assert statuses == [400, 400, 429]
    assert len(site.asked) == 2


def age(seconds: int) -> None:
    """As if the documents had been read that long ago."""
    for client in Registered.objects.all():
        client.data["fetched"] -= seconds
        client.save()
