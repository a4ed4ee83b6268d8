"""`import` of folders and zips: what goes in, what does not, and what a second run does."""

import os
import stat
import unicodedata
import zipfile
from pathlib import Path

import pytest

from tests.cast import Cast
from workspace.models import Commit, Conflict, Document, Folder
from workspace.queries import documents as reading
from workspace.services import documents

INTO = "product/notes"


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    """A folder of three Markdown files and what lies around such files."""
    root = tmp_path / "notes"
    (root / "deep" / "er").mkdir(parents=True)
    (root / "plan.md").write_text("# Plan\n\nFirst.\n\nSecond.\n\nThird.\n")
    (root / "deep" / "er" / "Ωmega %2F 🚀.md").write_bytes("\ufeffCRLF\r\nkept\r\n".encode())
    (root / "deep" / "empty.MD").write_text("")
    (root / "picture.png").write_bytes(b"\x89PNG")
    (root / ".git").mkdir()
    (root / ".git" / "HEAD.md").write_text("no")
    return root


@pytest.fixture
def take(manage, cast: Cast):
    """Imports a path as alice."""
    return lambda path, *more: manage("import", path, "--into", INTO, "--as", "alice@example.org", *more)


def texts() -> dict[str, str]:
    rows = Document.objects.live().filter(folder__path__startswith=INTO).select_related("folder", "head__blob")
    return {f"{row.folder.path}/{row.name}": row.head.blob.content for row in rows}


def zipped(path: Path, entries: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def test_a_folder_goes_in_with_its_names_and_every_byte(take, notes):
    ran = take(notes)
    assert texts() == {
        "product/notes/plan.md": "# Plan\n\nFirst.\n\nSecond.\n\nThird.\n",
        "product/notes/deep/er/Ωmega %2F 🚀.md": "\ufeffCRLF\r\nkept\r\n",
        "product/notes/deep/empty.MD": "",
    }
    assert ran.out.startswith("3 created, 0 updated, 0 merged, 0 unchanged, 0 conflict, 0 skipped.")
    assert "Left out, hidden or not Markdown: 2 " in ran.out
    commit = Commit.objects.filter(location="product/notes/plan.md").get()
    assert (commit.author.email, commit.via, commit.message) == ("alice@example.org", "command", "Import plan.md")


def test_a_second_run_changes_nothing_and_says_so(take, notes):
    take(notes)
    before = Commit.objects.count()
    assert "0 created, 0 updated, 0 merged, 3 unchanged" in take(notes).out
    assert Commit.objects.count() == before


def test_a_file_that_changed_is_a_commit_upon_the_import_before(take, notes):
    take(notes)
    (notes / "plan.md").write_text("# Plan\n\nFirst!\n\nSecond.\n\nThird.\n")
    assert "0 created, 1 updated, 0 merged, 2 unchanged" in take(notes).out
    last = Document.objects.get(name="plan.md").head
    assert last.parent.blob.content.startswith("# Plan\n\nFirst.\n")


def edit(cast: Cast, old: str, new: str) -> None:
    documents.substitute(cast.alice, location=f"{INTO}/plan.md", old_string=old, new_string=new)


def test_what_people_wrote_since_is_not_taken_back(take, notes, cast: Cast):
    take(notes)
    edit(cast, "Third.", "Third, as a person has it.")
    assert "3 unchanged" in take(notes).out
    assert "as a person has it" in texts()["product/notes/plan.md"]


def test_a_changed_file_is_merged_with_what_people_wrote_again_and_again(take, notes, cast: Cast):
    take(notes)
    edit(cast, "Third.", "Third, as a person has it.")
    (notes / "plan.md").write_text("# Plan\n\nFirst!\n\nSecond.\n\nThird.\n")
    assert "1 merged" in take(notes).out
    assert "1 merged" not in take(notes).out.replace("0 merged", "")
    (notes / "plan.md").write_text("# Plan\n\nFirst!!\n\nSecond.\n\nThird.\n")
    take(notes)
    assert texts()["product/notes/plan.md"] == "# Plan\n\nFirst!!\n\nSecond.\n\nThird, as a person has it.\n"


def test_a_merge_of_an_import_names_what_it_settled_and_both_its_parents(take, notes, cast: Cast, manage):
    text = (
        "The launch is on the second of March. Support answers within an hour of the first question. "
        "Everybody knows their part in it.\n"
    )
    (notes / "plan.md").write_text(text)
    take(notes)
    before = Document.objects.get(name="plan.md").head_id
    edit(cast, "Everybody knows", "Nobody knows")
    theirs = Document.objects.get(name="plan.md").head_id
    (notes / "plan.md").write_text(text.replace("second", "third"))
    assert "1 merged" in take(notes).out
    head = Document.objects.get(name="plan.md").head
    assert head.kind == "merge"
    assert head.parents == [theirs, before]
    assert head.merge_version is not None
    assert [one["rule"] for one in head.decisions] == ["sentences"]
    assert texts()["product/notes/plan.md"] == text.replace("second", "third").replace("Everybody", "Nobody")
    assert "1 merged" not in take(notes).out
    assert manage("verify").error == ""


def test_a_file_that_changed_where_nobody_wrote_is_no_merge(take, notes):
    take(notes)
    (notes / "plan.md").write_text("# Plan\n\nFirst!\n")
    take(notes)
    head = Document.objects.get(name="plan.md").head
    assert (head.kind, head.decisions, head.merge_version) == ("edit", [], None)


def test_a_change_that_conflicts_is_kept_whole_and_told_once(take, notes, cast: Cast):
    take(notes)
    edit(cast, "Second.", "Second, says a person.")
    (notes / "plan.md").write_text("# Plan\n\nFirst.\n\nSecond, says the file.\n\nThird.\n")
    ran = take(notes)
    assert "1 conflict" in ran.out
    assert "plan.md: conflicts with what was written at product/notes/plan.md" in ran.err
    assert Conflict.objects.get().draft.content == (notes / "plan.md").read_text()
    assert "says a person" in texts()["product/notes/plan.md"]
    assert "0 conflict" in take(notes).out
    assert Conflict.objects.count() == 1


def test_a_document_that_was_moved_is_updated_where_it_is(take, notes, cast: Cast):
    take(notes)
    documents.move(cast.alice, source=f"{INTO}/plan.md", target=f"{INTO}/old/kept.md")
    (notes / "plan.md").write_text("# Plan\n\nNew.\n")
    assert "0 created, 1 updated" in take(notes).out
    assert texts()["product/notes/old/kept.md"] == "# Plan\n\nNew.\n"
    assert "product/notes/plan.md" not in texts()


def test_what_was_deleted_here_is_not_brought_back(take, notes, cast: Cast):
    take(notes)
    documents.delete(cast.alice, location=f"{INTO}/plan.md")
    assert "3 unchanged" in take(notes).out
    (notes / "plan.md").write_text("changed\n")
    assert "plan.md: was deleted here" in take(notes).err
    assert "product/notes/plan.md" not in texts()


def test_a_document_that_no_import_wrote_is_never_written_over(take, notes, cast: Cast):
    documents.create(cast.alice, location=f"{INTO}/plan.md", content="by hand\n")
    ran = take(notes)
    assert "2 created" in ran.out
    assert "plan.md: is a document here already" in ran.err
    assert texts()["product/notes/plan.md"] == "by hand\n"


def test_an_equal_document_that_was_there_already_is_unchanged(take, notes, cast: Cast):
    documents.create(cast.alice, location=f"{INTO}/plan.md", content=(notes / "plan.md").read_text())
    assert "2 created, 0 updated, 0 merged, 1 unchanged" in take(notes).out


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"caf\xe9\n", "is not UTF-8 (byte 3)"),
        (b"a\x00b", "NUL"),
        (b"x" * (1024 * 1024 + 1), "over the limit of 1,048,576 bytes"),
    ],
)
def test_a_file_that_is_no_document_is_named_and_the_rest_goes_in(take, notes, data, why):
    (notes / "bad.md").write_bytes(data)
    ran = take(notes)
    assert "3 created" in ran.out
    assert "1 skipped" in ran.out
    assert ran.err.startswith("bad.md: ")
    assert why in ran.err
    assert "product/notes/bad.md" not in texts()


def test_a_file_of_just_the_limit_goes_in(take, notes):
    (notes / "large.md").write_bytes(b"x" * 1024 * 1024)
    assert "4 created" in take(notes).out


def test_links_pipes_and_names_that_are_no_text_are_left_out_by_name(take, notes, tmp_path):
    (tmp_path / "secret.md").write_text("outside")
    (notes / "link.md").symlink_to(tmp_path / "secret.md")
    (notes / "linked").symlink_to(tmp_path, target_is_directory=True)
    os.mkfifo(notes / "pipe.md")
    (notes / os.fsdecode(b"\xff.md")).write_text("x")
    (notes / "new\nline.md").write_text("x")
    ran = take(notes)
    assert "3 created" in ran.out
    assert "5 skipped" in ran.out
    for told in ("link.md: is a symbolic link", "linked: is a symbolic link", "pipe.md: is no ordinary file",
                 "\\udcff.md: holds a lone surrogate", "new\\u000aline.md: may not hold control"):  # fmt: skip
        assert told in ran.err
    assert not any("outside" in text for text in texts().values())


def test_twins_by_case_or_normalisation_are_told_and_the_first_is_taken(take, tmp_path):
    archive = zipped(
        tmp_path / "twins.zip",
        {
            "Plan.md": b"first",
            "plan.md": b"second",
            unicodedata.normalize("NFC", "é.md"): b"composed",
            unicodedata.normalize("NFD", "é.md"): b"decomposed",
            "Deep/a.md": b"a",
            "deep/b.md": b"b",
        },
    )
    ran = take(archive)
    assert "3 created" in ran.out
    assert "3 skipped" in ran.out
    assert set(texts().values()) in ({"first", "composed", "a"}, {"first", "decomposed", "a"})
    assert "only in case or normalisation" in ran.err
    assert unicodedata.normalize("NFC", "é.md") in {row.name for row in Document.objects.all()}


def test_a_decomposed_name_is_the_same_file_in_a_second_run(take, tmp_path):
    take(zipped(tmp_path / "1.zip", {unicodedata.normalize("NFD", "é.md"): b"x"}))
    assert "1 unchanged" in take(zipped(tmp_path / "2.zip", {unicodedata.normalize("NFC", "é.md"): b"x"})).out


@pytest.mark.parametrize("name", ["../up.md", "a/../../up.md", "/etc/up.md", "C:/up.md", "..\\up.md", "\\up.md"])
def test_an_entry_that_leads_outside_is_left_out_by_name(take, tmp_path, name):
    archive = zipped(tmp_path / "slip.zip", {name: b"evil", "fine.md": b"fine"})
    ran = take(archive)
    assert texts() == {"product/notes/fine.md": "fine"}
    assert "leads outside the archive" in ran.err
    assert not list(tmp_path.glob("**/up.md"))


def test_a_link_in_a_zip_is_left_out(take, tmp_path):
    path = tmp_path / "link.zip"
    with zipfile.ZipFile(path, "w") as archive:
        info = zipfile.ZipInfo("link.md")
        info.external_attr = (stat.S_IFLNK | 0o777) << 16
        archive.writestr(info, "/etc/passwd")
    assert "link.md: is a symbolic link" in take(path).err
    assert texts() == {}


def test_a_bomb_is_not_unpacked(take, tmp_path, monkeypatch):
    zeros = b"\0" * (4 * 1024 * 1024)
    path = zipped(tmp_path / "bomb.zip", {"bomb.md": zeros, "fine.md": b"fine"})
    ran = take(path)
    assert "bomb.md: is over the limit" in ran.err
    assert texts() == {"product/notes/fine.md": "fine"}
    # One that claims to be small: the two places where a zip keeps the size of its first entry.
    data = bytearray(path.read_bytes())
    claimed, small = len(zeros).to_bytes(4, "little"), (10).to_bytes(4, "little")
    assert data.count(claimed) == 2
    (tmp_path / "liar.zip").write_bytes(data.replace(claimed, small))
    assert "bomb.md: is damaged" in take(tmp_path / "liar.zip").err
    assert set(texts()) == {"product/notes/fine.md"}
    monkeypatch.setattr("workspace.services.sources.MOST_BYTES", 10)
    many = zipped(tmp_path / "many.zip", {f"{n}.md": b"xxxxx" for n in range(3)})
    assert "would unpack to more than" in take(many).error


def test_a_damaged_or_encrypted_entry_is_left_out_whole(take, tmp_path):
    path = zipped(tmp_path / "damaged.zip", {"a.md": os.urandom(600).hex().encode(), "b.md": b"fine"})
    data = bytearray(path.read_bytes())
    data[200] ^= 0xFF
    path.write_bytes(data)
    assert "a.md: is damaged" in take(path).err
    assert set(texts()) == {"product/notes/b.md"}
    data[6] |= 1
    data[data.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(data)
    assert "a.md: is encrypted" in take(path).err


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04 and then nothing", b"text"])
def test_what_is_no_zip_is_refused(take, tmp_path, data):
    (tmp_path / "x.zip").write_bytes(data)
    assert "is not a zip that can be read" in take(tmp_path / "x.zip").error
    assert "is neither a folder nor a file" in take(tmp_path / "absent").error


def test_who_may_not_write_there_imports_nothing(manage, cast: Cast, notes):
    for email in ("carol@example.org", "mallory@example.org"):
        ran = manage("import", notes, "--into", "product/launch", "--as", email)
        assert ran.error.startswith("product/launch: ")
    assert "Nobody active" in manage("import", notes, "--into", INTO, "--as", "x@example.org").error
    assert not Document.objects.exists()


def test_a_bad_place_is_refused_before_anything_is_read(manage, cast: Cast, notes):
    ran = manage("import", notes, "--into", "/", "--as", "alice@example.org")
    assert "into" in ran.error
    assert Folder.objects.filter(path__startswith="product").count() == 2


def test_an_import_reads_back_as_it_was(take, notes, cast: Cast):
    take(notes)
    assert reading.read(cast.alice, location=f"{INTO}/plan.md").content == (notes / "plan.md").read_text()
