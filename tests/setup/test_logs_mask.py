"""No line of the log holds what lets somebody in, and nobody forges one."""

import io
import logging
import logging.config
from collections.abc import Callable, Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from workspace.config import logs

SECRET = "kQ7vXw2mTz9rLp4s"
PARAMETERS = {"token", "link", "key", "uidb36"}
"""What routes call a part of their address that lets somebody in."""


@pytest.fixture
def said() -> Iterator[io.StringIO]:
    """What the product's handler writes."""
    stream = io.StringIO()
    made = logging.config.DictConfigurator(logs.configuration("DEBUG"))
    handler = logging.StreamHandler(stream)
    handler.setFormatter(made.configure_formatter(made.config["formatters"]["line"]))
    for name in made.config["handlers"]["console"]["filters"]:
        handler.addFilter(made.configure_filter(made.config["filters"][name]))
    root = logging.getLogger()
    root.addHandler(handler)
    yield stream
    root.removeHandler(handler)


def routes(inside: URLResolver, above: str = "") -> Iterator[str]:
    """Addresses with a secret part, that filled in."""
    for pattern in inside.url_patterns:
        if isinstance(pattern, URLResolver):
            yield from routes(pattern, above + str(pattern.pattern).removeprefix("^"))
            continue
        assert isinstance(pattern, URLPattern)
        if PARAMETERS & (set(pattern.pattern.converters) | set(getattr(pattern.pattern.regex, "groupindex", {}))):
            for one, parameters in get_resolver().reverse_dict.getlist(pattern.name)[0][0] if pattern.name else ():
                yield "/" + one % {name: "5" if name == "uidb36" else SECRET for name in parameters}


ROUTES = sorted(set(routes(get_resolver())))


def test_the_routes_that_let_somebody_in_are_found() -> None:
    names = ("enter", "invitation", "welcome", "accounts/confirm-email", "accounts/password/reset/key")
    assert [path for name in names for path in ROUTES if path.startswith(f"/{name}/")] != []
    assert len(ROUTES) >= len(names), ROUTES


@pytest.mark.parametrize("path", ROUTES)
def test_a_refusal_at_a_secret_address_does_not_tell_it(db: None, path: str, said: io.StringIO) -> None:
    Client(enforce_csrf_checks=True).post(path)
    Client().delete(path)
    logging.getLogger("workspace.access").info("%s %s %s %.0f ms", "POST", path, 403, 6)
    assert path.partition(SECRET)[0].rpartition("/")[0] in said.getvalue()
    assert SECRET not in said.getvalue()


def test_a_traceback_does_not_tell_a_token(said: io.StringIO) -> None:
    try:
        raise ValueError(f"no such token: btn_{SECRET}")
    except ValueError:
        logging.getLogger("workspace").exception("failed with btn_%s", SECRET)
    assert "ValueError" in said.getvalue()
    assert said.getvalue().count("btn_…") == 2
    assert SECRET not in said.getvalue()


def test_other_addresses_stay_readable(said: io.StringIO) -> None:
    logging.getLogger("workspace").warning("GET /invitations/inv_1/renew 404")
    assert "/invitations/inv_1/renew" in said.getvalue()


@pytest.mark.parametrize("broken", ["\n", "\r", "\x1b[2J", "\x85", "\u2028"])
def test_what_was_asked_for_forges_no_line(broken: str, said: io.StringIO) -> None:
    logging.getLogger("workspace.access").info("%s %s", "GET", f"/d/a{broken}INFO workspace.access - POST /admin 200")
    assert len(said.getvalue().splitlines()) == 1
    assert said.getvalue().removesuffix("\n").isprintable()


@pytest.mark.parametrize("broken", ["\n", "\r", "\x1b[2J", "\x85", "\u2028"])
def test_what_an_exception_quotes_forges_no_line(broken: str, said: io.StringIO) -> None:
    try:
        raise ValueError(f"no such page: {broken}INFO workspace.access - POST /admin 200")
    except ValueError:
        logging.getLogger("workspace").exception("failed")
    first, *traceback = said.getvalue().removesuffix("\n").split("\n")
    assert first.endswith("failed")
    assert any("ValueError" in line for line in traceback)
    assert all(line.startswith("  ") and line.isprintable() for line in traceback), traceback


def _foreign_host() -> int:
    return Client().get("/accounts/login/", headers={"host": "evil.example"}).status_code


def _no_form() -> int:
    kind = "multipart/form-data; boundary="
    return Client().post("/accounts/login/", b"no form", content_type=kind).status_code


def _many_fields() -> int:
    body = "&".join(f"f{number}=1" for number in range(2_000))
    return Client().post("/accounts/login/", body, content_type="application/x-www-form-urlencoded").status_code


@pytest.mark.parametrize("ask", [_foreign_host, _no_form, _many_fields])
def test_a_refused_request_is_one_line_and_no_error(db: None, ask: Callable[[], int], said: io.StringIO) -> None:
    assert ask() == 400
    assert "\n" not in said.getvalue().removesuffix("\n"), said.getvalue()
    assert said.getvalue().startswith("WARNING django.")


def test_what_broke_keeps_its_traceback(said: io.StringIO) -> None:
    try:
        raise ValueError("broken")
    except ValueError as error:
        logging.getLogger("django.request").error("Broken", exc_info=error, extra={"status_code": 500})
    assert said.getvalue().startswith("ERROR ")
    assert "Traceback" in said.getvalue()
