"""From a capture to the folder's HANDOFF.md, while people write in it."""

import threading
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from tests.cast import Cast
from workspace.digest import handoff
from workspace.jobs import work
from workspace.models import Blob, Capture, Commit, Conflict, Document, Folder, Job, JobKind, JobState, Receipt
from workspace.queries import captures as reads
from workspace.services import captures, documents, receipts, summaries

LAUNCH = "product/launch"
PAGE = f"{LAUNCH}/HANDOFF.md"
SESSION = """# Session

## Asked

- Move the launch to the ninth of March.

## Decided

- The importer stays behind a flag until support is trained.

## Open

- Nobody has told the printers about the new date.
"""


def capture(cast: Cast, content: str = SESSION, operation: str = "op-1") -> str:
    return captures.commit(cast.scout, folder=LAUNCH, content=content, operation_id=operation, session="s1").id


def drain() -> None:
    work.drain(seconds=30)
    left = Job.objects.exclude(state=JobState.DONE).values_list("kind", "state", "last_error")
    assert not list(left)


def page() -> Document | None:
    return Document.objects.live().select_related("head").filter(folder__path=LAUNCH, name="HANDOFF.md").first()


def text() -> str:
    found = page()
    assert found is not None
    assert found.head is not None
    return Blob.objects.get(pk=found.head.blob_id).content


def edit(cast: Cast, change: "tuple[str, str]") -> None:
    documents.substitute(cast.bob, location=PAGE, old_string=change[0], new_string=change[1])


def test_a_capture_becomes_cited_lines_under_their_headings(cast: Cast) -> None:
    made = capture(cast)
    drain()
    written = text()
    for heading, line in (
        ("## Asked", "Move the launch to the ninth of March."),
        ("## Decided", "The importer stays behind a flag until support is trained."),
        ("## Open", "Nobody has told the printers about the new date."),
    ):
        assert f"- {line} ([{made}](/captures/{made}))" in written
        assert written.index(heading) < written.index(line)
    found = page()
    assert found is not None
    assert found.head is not None
    assert (found.head.job, found.head.author_id) == ("handoff", None)


def test_what_became_of_a_capture_can_be_followed_to_its_reader(cast: Cast) -> None:
    made = capture(cast)
    assert reads.show(cast.bob, id=made).state == "captured"
    drain()
    found = page()
    assert found is not None
    assert found.head_id is not None
    for _ in range(3):
        receipts.read(cast.rover, document=found.pk, commit=found.head_id)
    view = reads.show(cast.bob, id=made)
    assert view.state == "indexed"
    assert view.handed_off == found.head_id
    assert [fact.kind for fact in view.timeline] == [
        "captured",
        "acknowledged",
        "summarised",
        "consolidated",
        "indexed",
        "read",
    ]
    assert view.timeline[-1].by.label == "rover"
    assert [line.section for line in view.summary_lines] == ["asked", "decided", "open"]


def test_everything_may_run_twice(cast: Cast) -> None:
    capture(cast)
    drain()
    before, commits, facts = text(), Commit.objects.count(), Receipt.objects.count()
    Job.objects.update(state=JobState.PENDING)
    drain()
    assert (text(), Commit.objects.count(), Receipt.objects.count()) == (before, commits, facts)


def test_what_a_person_wrote_stays_byte_for_byte(cast: Cast) -> None:
    capture(cast)
    drain()
    head = page()
    assert head is not None
    mine = "Bob was here.  \r\n\r\n" + text() + "\nAnd at the end, *unfinished"
    documents.edit(cast.bob, location=PAGE, content=mine, expected_commit=str(head.head_id))
    capture(cast, "## Decided\n\n- Support is trained by the second.\n", "op-2")
    drain()
    written = text()
    assert written.startswith("Bob was here.  \r\n\r\n")
    assert "And at the end, *unfinished" in written
    assert "Support is trained by the second." in written
    assert "Move the launch to the ninth of March." in written


def test_a_line_that_a_person_deleted_stays_deleted(cast: Cast) -> None:
    made = capture(cast)
    drain()
    edit(cast, (f"- Move the launch to the ninth of March. ([{made}](/captures/{made}))\n", ""))
    capture(cast, "## Decided\n\n- Support is trained by the second.\n", "op-2")
    drain()
    assert "ninth of March" not in text()
    assert "Support is trained by the second." in text()


def test_a_line_that_a_person_edited_is_theirs(cast: Cast) -> None:
    made = capture(cast)
    drain()
    edit(cast, ("the ninth of March", "the tenth of March"))
    captures.erase(cast.alice, capture=made)
    drain()
    assert "the tenth of March" in text()
    assert "printers" not in text()


def test_an_erased_capture_leaves_the_page_and_its_summary_goes(cast: Cast) -> None:
    made = capture(cast)
    kept = capture(cast, "## Decided\n\n- Support is trained by the second.\n", "op-2")
    drain()
    captures.erase(cast.alice, capture=made)
    drain()
    assert made not in text()
    assert "printers" not in text()
    assert kept in text()
    view = reads.show(cast.alice, id=made)
    assert (view.content, view.summary_lines, view.state) == ("", (), "deleted")
    assert {"captured", "summarised", "consolidated", "erased"} <= {fact.kind for fact in view.timeline}


def test_a_capture_erased_before_its_summary_leaves_nothing(cast: Cast) -> None:
    made = capture(cast)
    captures.erase(cast.scout, capture=made)
    drain()
    assert page() is None
    assert Capture.objects.get(pk=made).content == ""


def test_a_worker_killed_between_the_page_and_its_record_does_not_bring_deleted_lines_back(cast: Cast) -> None:
    made = capture(cast)
    work.drain(seconds=30, limit=1)  # the summary
    folder = Folder.objects.get(path=LAUNCH)
    assert summaries.consolidate(folder.pk) is not None  # written, never recorded
    edit(cast, (f"- Move the launch to the ninth of March. ([{made}](/captures/{made}))\n", ""))
    drain()
    assert "ninth of March" not in text()
    assert text().count("printers") == 1
    assert Capture.objects.get(pk=made).handed_off_id


def test_a_worker_killed_before_the_page_is_written_loses_nothing(cast: Cast) -> None:
    capture(cast)
    work.drain(seconds=30, limit=1)
    folder = Folder.objects.get(path=LAUNCH)
    lines = summaries._wanted(folder)
    summaries._intend(folder.pk, [], handoff.generated(lines), None)
    drain()
    assert "ninth of March" in text()


def test_the_job_reaches_its_own_folder_and_no_other(cast: Cast) -> None:
    documents.create(cast.alice, location="product/HANDOFF.md", content="Not yours.\n")
    capture(cast)
    drain()
    above = Document.objects.get(folder__path="product", name="HANDOFF.md")
    assert above.number == 1


def test_a_name_that_is_taken_by_a_folder_fails_visibly_and_the_rest_goes_on(cast: Cast) -> None:
    documents.create(cast.alice, location=f"{PAGE}/readme.md", content="A folder of that name.\n")
    capture(cast)
    work.drain(seconds=30)
    job = Job.objects.get(kind=JobKind.CONSOLIDATE)
    assert job.state == JobState.PENDING
    assert "UNAVAILABLE" in job.last_error
    assert not Job.objects.filter(kind=JobKind.INDEX).exclude(state=JobState.DONE).exists()


def test_captures_whose_time_is_up_are_deleted_with_what_was_derived(cast: Cast) -> None:
    old = capture(cast)
    kept = captures.commit(
        cast.scout, folder=LAUNCH, content="## Decided\n\n- Kept.\n", operation_id="op-2", retention_days=400
    ).id
    drain()
    folder = Folder.objects.get(path=LAUNCH)
    assert captures.enqueue_due() == 0
    Folder.objects.filter(pk=folder.pk).update(retention_days=30)
    Capture.objects.filter(pk=old).update(created_at=timezone.now() - timedelta(days=31))
    assert captures.enqueue_due() == 1
    drain()
    assert (Capture.objects.get(pk=old).content, Capture.objects.get(pk=kept).deleted_at) == ("", None)
    assert old not in text()
    assert kept in text()
    Capture.objects.filter(pk=kept).update(delete_after=timezone.now())
    assert captures.enqueue_due() == 1
    drain()
    assert Capture.objects.get(pk=kept).content == ""
    erased = Receipt.objects.filter(kind="erased").values_list("job", "reason")
    assert set(erased) == {("retention", "Its retention is over.")}


def test_a_person_who_types_all_the_while_loses_nothing(committed_cast: Cast) -> None:
    """Real threads and commits: a person appends and edits, two workers consolidate, captures come in."""
    cast = committed_cast
    capture(cast, operation="first")
    work.drain(seconds=30)
    stop = threading.Event()
    typed: list[str] = []
    failures: list[BaseException] = []

    def in_thread(act) -> threading.Thread:  # type: ignore[no-untyped-def]
        def run() -> None:
            try:
                act()
            except BaseException as error:
                failures.append(error)
            finally:
                connection.close()

        thread = threading.Thread(target=run)
        thread.start()
        return thread

    def person() -> None:
        for number in range(15):
            line = f"Bob's note {number}."
            if number % 2:
                documents.append(cast.bob, location=PAGE, content=line)
            else:
                documents.substitute(cast.bob, location=PAGE, old_string="# Handoff", new_string=f"{line}\n\n# Handoff")
            typed.append(line)

    def worker() -> None:
        while not stop.is_set():
            if not work.drain(seconds=1):
                stop.wait(0.02)

    workers = [in_thread(worker) for _ in range(2)]
    writer = in_thread(person)
    made = [capture(cast, f"## Decided\n\n- Decision number {n} stands.\n", f"op-{n}") for n in range(10)]
    writer.join(60)
    stop.set()
    for thread in workers:
        thread.join(60)
    work.drain(seconds=30)
    assert not failures
    written = text()
    assert len(typed) == 15
    for line in typed:
        assert written.count(line + "\n") + written.endswith(line) == 1, line
    for number, one in enumerate(made):
        assert written.count(f"- Decision number {number} stands. ([{one}](/captures/{one}))") == 1
    assert not Conflict.objects.filter(state="open").exists()
    assert not Job.objects.exclude(state=JobState.DONE).exists()
