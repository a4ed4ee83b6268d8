"""Keeping a capture: bounded, redacted, once for each operation."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from tests.cast import Cast
from workspace.actor import Actor
from workspace.errors import Forbidden, IdempotencyMismatch, Invalid, NotFound, TooLarge
from workspace.models import Capture, Job, Receipt
from workspace.queries import captures as reads
from workspace.services import captures, folders, sharing

LAUNCH = "product/launch"
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def commit(actor: Actor, **given: Any) -> captures.Captured:
    return captures.commit(actor, **{"folder": LAUNCH, "content": "Decided: June.", "operation_id": "op-1"} | given)


def test_a_capture_is_on_disk_with_its_receipts_and_its_job(cast: Cast) -> None:
    made = commit(cast.scout, session="s1", event="session-end")
    row = Capture.objects.get(pk=made.id)
    assert (row.content, row.session, row.event, row.host) == ("Decided: June.", "s1", "session-end", "claude-code")
    assert (row.author_id, row.agent_id) == (cast.people["alice"].pk, cast.scout.agent)
    kinds = Receipt.objects.filter(capture=row).values_list("kind", flat=True)
    assert sorted(kinds) == ["acknowledged", "captured"]
    assert Job.objects.filter(kind="summarise", target=made.id, state="pending").exists()


def test_secrets_are_counted_and_never_stored(cast: Cast) -> None:
    made = commit(cast.scout, content=f"Used {TOKEN} twice: {TOKEN}")
    row = Capture.objects.get(pk=made.id)
    assert TOKEN not in row.content
    assert sum(made.redactions.values()) == 2
    assert row.redactions == made.redactions
    assert commit(cast.scout, content=f"Used {TOKEN} twice: {TOKEN}").redactions == made.redactions


def test_the_same_operation_and_content_is_the_same_capture(cast: Cast) -> None:
    first = commit(cast.scout)
    again = commit(cast.scout, session="another")
    assert again.replayed
    assert not first.replayed
    assert (again.id, again.created_at) == (first.id, first.created_at)
    assert Receipt.objects.filter(capture=first.id).count() == 2


@pytest.mark.parametrize("other", [{"content": "Decided: July."}, {"folder": "product/launch/deep"}])
def test_the_same_operation_with_other_content_is_refused(cast: Cast, other: dict[str, str]) -> None:
    folders.create(cast.alice, location="product/launch/deep")
    commit(cast.scout)
    with pytest.raises(IdempotencyMismatch) as refused:
        commit(cast.scout, **other)
    assert refused.value.field == "operation_id"
    assert Capture.objects.count() == 1


def test_operations_of_two_agents_are_two_captures(cast: Cast) -> None:
    assert commit(cast.scout).id != commit(cast.rover).id


def test_a_reader_may_not_capture_and_a_stranger_sees_nothing(cast: Cast) -> None:
    with pytest.raises(Forbidden) as refused:
        commit(cast.carol)
    assert refused.value.need == "editor"
    for folder in (LAUNCH, "product/none"):
        with pytest.raises(NotFound):
            commit(cast.mallory, folder=folder)
    assert not Capture.objects.exists()


def test_content_is_bounded_in_bytes(cast: Cast) -> None:
    commit(cast.scout, content="x" * captures.MAX_BYTES)
    with pytest.raises(TooLarge):
        commit(cast.scout, content="x" * (captures.MAX_BYTES + 1), operation_id="op-2")
    with pytest.raises(TooLarge):
        commit(cast.scout, content="文" * (captures.MAX_BYTES // 3 + 1), operation_id="op-3")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("content", ""),
        ("content", " \n"),
        ("content", "a\x00b"),
        ("content", "a\ud800"),
        ("content", 7),
        ("operation_id", ""),
        ("operation_id", " "),
        ("operation_id", "x" * 256),
        ("operation_id", "a\nb"),
        ("operation_id", None),
        ("session", "x" * 201),
        ("host", "x" * 65),
        ("event", "x" * 65),
        ("retention_days", 0),
        ("retention_days", True),
        ("retention_days", "7"),
        ("retention_days", 36_501),
    ],
)
def test_bad_input_is_named(cast: Cast, field: str, value: object) -> None:
    with pytest.raises(Invalid) as refused:
        commit(cast.scout, **{field: value})
    assert [error.field for error in refused.value.errors] == [field]
    assert not Capture.objects.exists()


def test_retention_is_the_shorter_of_its_own_and_the_folders(cast: Cast) -> None:
    folders.settings(cast.alice, location=LAUNCH, retention_days=10)
    for number, (own, days) in enumerate(((None, 10), (3, 3), (40, 10))):
        made = commit(cast.scout, operation_id=f"op-{number}", retention_days=own)
        row = Capture.objects.get(pk=made.id)
        assert row.delete_after == row.created_at + timedelta(days=days)


def test_one_operation_sent_by_many_at_once_is_one_capture(committed_cast: Cast) -> None:
    scout = committed_cast.scout
    start = Barrier(12)

    def send(_: int) -> captures.Captured:
        try:
            start.wait()
            return commit(scout)
        finally:
            connection.close()

    with ThreadPoolExecutor(12) as pool:
        sent = list(pool.map(send, range(12)))
    assert len({one.id for one in sent}) == 1
    assert sum(not one.replayed for one in sent) == 1
    assert Capture.objects.count() == 1


@pytest.mark.parametrize(
    ("content", "line"),
    [
        ("## Asked\n\nWhich cable do we ship?\n\n## Last message\n\nThe long one.", "Which cable do we ship?"),
        ("\n**Decided:**\n- June it is.", "June it is."),
        ("# Decided June\n\nAnd more.", "Decided June"),
        ("## Open", "Open"),
        (" \n\n", ""),
    ],
)
def test_the_line_that_names_a_capture_says_what_it_is_about(content: str, line: str) -> None:
    assert reads.first_line(content) == line


def test_captures_are_listed_for_those_who_read_the_folder_and_nobody_else(cast: Cast) -> None:
    made = commit(cast.scout, content="# Decided June\n\nAnd more.")
    (row,) = reads.listing(cast.carol).items
    assert (row.id, row.folder, row.excerpt, row.author.label, row.state) == (
        made.id,
        LAUNCH,
        "Decided June",
        "scout",
        "captured",
    )
    assert reads.listing(cast.carol, folder="product/launch").items == (row,)
    assert reads.show(cast.carol, id=made.id).content.startswith("# Decided")
    assert reads.listing(cast.mallory).items == ()
    for hidden in (made.id, "cap_none"):
        with pytest.raises(NotFound):
            reads.show(cast.mallory, id=hidden)
    with pytest.raises(NotFound):
        reads.listing(cast.mallory, folder=LAUNCH)
    sharing.revoke(cast.alice, location=LAUNCH, subject="carol@example.org")
    assert reads.listing(cast.carol).items == ()


def test_captures_come_in_pages_without_gaps(cast: Cast) -> None:
    made = [commit(cast.scout, operation_id=f"op-{n}").id for n in range(7)]
    seen: list[str] = []
    cursor = None
    while True:
        page = reads.listing(cast.bob, limit=3, cursor=cursor)
        seen += [row.id for row in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert seen == made[::-1]
    first = reads.listing(cast.bob, limit=3).next_cursor
    with pytest.raises(Invalid):
        reads.listing(cast.alice, limit=3, cursor=first)
