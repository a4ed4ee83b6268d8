"""Home tells of conflicts that wait, and why they concern whoever looks."""

from tests.cast import PLAN, Cast
from tests.web.conftest import SignIn
from workspace.services import documents

PLACE = "product/launch/plan.md"


def test_home_says_how_a_conflict_concerns_one(cast: Cast, signed_in: SignIn, plan: str) -> None:
    documents.substitute(cast.alice, location=PLACE, old_string="second", new_string="third")
    draft = PLAN.replace("second", "fourth")
    documents.edit(cast.bob, location=PLACE, content=draft, expected_commit=plan, on_conflict="merge")
    assert "1 place where your draft disagrees with the document" in signed_in("bob").get("/").content.decode()
    assert "1 place where a draft disagrees with what you wrote" in signed_in("alice").get("/").content.decode()
    assert "disagree" not in signed_in("carol").get("/").content.decode()
