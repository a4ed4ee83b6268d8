"""`export`: everything that somebody may read, under names that any file system takes, and back in again."""

import json
import zipfile
from pathlib import Path

import pytest

from tests.cast import Cast
from workspace.models import Document, Person
from workspace.queries import export
from workspace.services import documents, folders, sharing

NAMES = [
    "a:b?.md",
    "a_b_.md",
    "CON.md",
    "dots...",
    "Ωmega 🚀.md",
    "back\\slash.md",
    "x" * 200,
    "語" * 200,
    ".hidden.md",
]


@pytest.fixture
def root(cast: Cast) -> Person:
    return Person.objects.create_superuser("root@example.org", "irrelevant here")


@pytest.fixture
def odd(cast: Cast) -> None:
    for number, name in enumerate(NAMES):
        documents.create(cast.alice, location=f"product/launch/odd: names/{name}", content=f"text {number}\r\n")


def entries(path: Path) -> dict[str, str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name).decode() for name in archive.namelist()}


def test_an_export_holds_every_text_and_says_where_it_was(manage, root, odd, plan, tmp_path):
    ran = manage("export", "product", tmp_path / "out.zip")
    assert ran.out == f"Wrote 10 documents to {tmp_path / 'out.zip'}.\n"
    files = entries(tmp_path / "out.zip")
    listed = json.loads(files.pop("baton-export.json"))
    assert listed["format"] == "baton-export/1"
    assert {row["file"] for row in listed["documents"]} == set(files)
    row = next(row for row in listed["documents"] if row["path"] == "launch/plan.md")
    assert (row["location"], row["commit"], row["author"]) == ("product/launch/plan.md", plan, "Alice")
    for row in listed["documents"]:
        assert files[row["file"]] == Document.objects.get(pk=row["id"]).head.blob.content


def test_names_in_the_archive_are_legal_everywhere_and_no_two_alike(manage, root, odd, tmp_path):
    manage("export", "product", tmp_path / "out.zip")
    names = [name for name in entries(tmp_path / "out.zip") if name != "baton-export.json"]
    assert len({name.casefold() for name in names}) == len(NAMES)
    for name in names:
        assert not name.startswith("/")
        for part in name.split("/"):
            assert not set(part) & set('<>:"\\|?*')
            assert part.rstrip(". ") == part
            assert len(part.encode()) <= 255
            assert part.partition(".")[0].lower() != "con"


def test_what_was_exported_comes_back_under_its_own_names(manage, root, cast: Cast, odd, tmp_path):
    manage("export", "product/launch", tmp_path / "out.zip")
    ran = manage("import", tmp_path / "out.zip", "--into", "copy", "--as", "alice@example.org")
    assert f"{len(NAMES)} created" in ran.out
    copied = Document.objects.filter(folder__path="copy/odd: names").values_list("name", "head__blob__content")
    assert dict(copied) == {name: f"text {number}\r\n" for number, name in enumerate(NAMES)}


def test_somebody_exports_what_they_read_and_nothing_else(manage, cast: Cast, plan, tmp_path):
    documents.create(cast.alice, location="product/secret.md", content="not for carol")
    documents.create(cast.alice, location="product/launch/gone.md", content="deleted")
    documents.delete(cast.alice, location="product/launch/gone.md")
    manage("export", "product", tmp_path / "carol.zip", "--as", "carol@example.org")
    assert set(entries(tmp_path / "carol.zip")) == {"launch/plan.md", "baton-export.json"}
    assert "secret" not in entries(tmp_path / "carol.zip")["baton-export.json"]
    refused = manage("export", "product", tmp_path / "mallory.zip", "--as", "mallory@example.org").error
    assert refused == manage(
        "export", "nowhere", tmp_path / "mallory.zip", "--as", "mallory@example.org"
    ).error.replace("nowhere", "product")
    assert not (tmp_path / "mallory.zip").exists()


def test_nothing_is_written_over_unless_told_to(manage, root, plan, tmp_path):
    out = tmp_path / "out.zip"
    out.write_text("mine")
    assert "--force" in manage("export", "product", out).error
    assert out.read_text() == "mine"
    manage("export", "product", out, "--force")
    assert "launch/plan.md" in entries(out)


def test_an_export_that_fails_leaves_no_file(manage, root, plan, tmp_path, monkeypatch):
    def broken(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", broken)
    assert "No space left" in manage("export", "product", tmp_path / "out.zip").error
    assert list(tmp_path.iterdir()) == []


def test_the_same_documents_give_the_same_bytes(manage, root, plan, tmp_path):
    for name in ("1.zip", "2.zip"):
        manage("export", "product", tmp_path / name)
    assert (tmp_path / "1.zip").read_bytes() == (tmp_path / "2.zip").read_bytes()


def test_without_an_administrator_a_person_must_be_named(manage, cast: Cast, tmp_path):
    assert "createperson --admin" in manage("export", "product", tmp_path / "out.zip").error


def test_a_document_shared_alone_is_exported_alone(cast: Cast, plan):
    documents.create(cast.alice, location="product/launch/other.md", content="x")
    sharing.grant(cast.alice, location="product/launch/plan.md", subject="mallory@example.org", role="viewer")
    assert [row.path for row in export.documents(cast.mallory, location="product")] == ["launch/plan.md"]


def test_an_empty_folder_is_an_archive_with_a_manifest(manage, root, cast: Cast, tmp_path):
    folders.create(cast.alice, location="product/empty")
    manage("export", "product/empty", tmp_path / "out.zip")
    assert json.loads(entries(tmp_path / "out.zip")["baton-export.json"])["documents"] == []
