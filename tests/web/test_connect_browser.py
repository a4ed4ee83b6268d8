"""What somebody sees who copies the lines that connect a host."""

import pytest

from tests.web.browser import Enter, enter
from workspace.web.ways import HANDLERS

__all__ = ["enter"]

CUT = "[...document.querySelectorAll('.guide code')].filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText)"


@pytest.mark.parametrize("width", [360, 1280])
def test_no_line_to_copy_is_cut_off(enter: Enter, width: int) -> None:
    page = enter("alice", viewport={"width": width, "height": 800})
    for host in HANDLERS:
        page.goto(f"/help/connect?host={host}")
        assert page.evaluate(CUT) == [], host
