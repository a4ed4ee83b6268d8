"""Where a browser is sent with an answer, and where it never is, whatever else let the address through."""

import pytest
from django.contrib.auth.models import AnonymousUser
from django.test import RequestFactory

from workspace.oauth import leaving


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)", "JavaScript:alert(1)", "data:text/html,x", "vbscript:x", "blob:https://example.org/1",
        "file:///etc/passwd", "view-source:https://example.org/", "about:blank", "//example.org/", "/path", "",
    ],
)  # fmt: skip
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_browser_is_sent_to_nothing_that_it_would_run(url: str, method: str, rf: RequestFactory) -> None:
    with pytest.raises(ValueError, match="Not an address"):
        leaving.leave(rf.generic(method, "/"), url, to="A program")


@pytest.mark.parametrize("url", ["https://example.org/back?code=1", "cursor://back?code=1", "com.example.app:/back"])
def test_what_is_no_port_of_this_computer_is_reached_from_a_page(url: str, rf: RequestFactory) -> None:
    request = rf.post("/")
    request.user = AnonymousUser()
    response = leaving.leave(request, url, to="A program")
    assert response.status_code == 200
    assert response["Refresh"] == f"0; url={url}"


def test_a_port_of_this_computer_is_reached_at_once(rf: RequestFactory) -> None:
    response = leaving.leave(rf.post("/"), "http://127.0.0.1:8976/back?code=1", to="A program")
    assert (response.status_code, response["Location"]) == (302, "http://127.0.0.1:8976/back?code=1")
