"""Receipts: what a program needs to tell what became of a session, a prompt and a handoff."""

from typing import Any

from tests.cast import Cast
from tests.rest.conftest import Caller, code
from tests.services.sessions import LAUNCH, ask, attach, keep
from workspace.jobs import work
from workspace.services import documents, folders


def kinds(response: Any) -> list[str]:
    assert response.status_code == 200
    return sorted({item["kind"] for item in response.json()["items"]})


def test_a_session_is_told_from_its_prompts_to_who_read_it_again(
    carol: Caller, mallory: Caller, cast: Cast, plan: str
) -> None:
    work.drain(seconds=30)
    attach(cast.scout, ask(cast.scout))
    keep(cast.scout)
    work.drain(seconds=30)
    attach(cast.rover, ask(cast.rover, session="r7", prompt="Where does the import run?"))
    scouts = ["acknowledged", "attached", "captured", "consolidated", "indexed", "invoked", "read", "retrieved"]
    everything = sorted([*scouts, "summarised"])
    for narrowing in ("session=s1", f"session=s1&agent={cast.scout.agent}", "session=s1&host=claude-code"):
        assert kinds(carol.get(f"/receipts?{narrowing}")) == everything
    assert set(kinds(carol.get(f"/receipts?agent={cast.scout.agent}"))) >= set(everything)
    assert kinds(carol.get(f"/receipts?session=s1&agent={cast.rover.agent}")) == []
    read = carol.get(f"/receipts?kind=read&session=r7&location={LAUNCH}/HANDOFF.md").json()["items"]
    assert [(item["by"]["label"], item["host"]) for item in read] == [("rover", "codex")]
    assert kinds(mallory.get("/receipts?session=s1")) == []
    assert code(mallory.get(f"/receipts?session=s1&location={LAUNCH}")) == (404, "NOT_FOUND")


def test_whose_a_hidden_capture_is_cannot_be_tried_out(carol: Caller, cast: Cast) -> None:
    folders.create(cast.alice, location="secret")
    keep(cast.scout, session="hush", folder="secret")
    work.drain(seconds=30)
    documents.move(
        cast.alice, source="secret/HANDOFF.md", target=f"{LAUNCH}/from-elsewhere.md", acknowledge_access_change=True
    )
    assert "indexed" in kinds(carol.get(f"/receipts?location={LAUNCH}/from-elsewhere.md"))
    for narrowing in ("session=hush", f"agent={cast.scout.agent}&kind=indexed"):
        assert kinds(carol.get(f"/receipts?{narrowing}")) == []
