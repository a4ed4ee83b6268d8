"""`export --git`: the history as a repository that git itself finds sound."""

import subprocess
from pathlib import Path

import pytest

from tests.cast import Cast
from workspace.models import Commit, Document, Person
from workspace.services import documents

PLAN = "product/launch/plan.md"


def git(path: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(path), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def root(cast: Cast) -> Person:
    return Person.objects.create_superuser("root@example.org", "irrelevant here")


@pytest.fixture
def story(cast: Cast, plan: str, root: Person) -> None:
    documents.append(cast.alice, location=PLAN, content="One more.", message="Add one")
    documents.edit(
        cast.scout,
        location=PLAN,
        content=Commit.objects.get(pk=plan).blob.content.replace("second", "third"),
        expected_commit=plan,
        on_conflict="merge",
        message="Another day",
    )
    documents.create(cast.bob, location='product/launch/od"d \\ name 🚀.md', content="odd\r\n")
    documents.create(cast.alice, location="product/launch/gone.md", content="gone\n")
    documents.delete(cast.alice, location="product/launch/gone.md", message="Not needed")
    documents.create(cast.alice, location="product/launch/.git/config", content="evil\n")


def test_the_last_commit_holds_every_text_and_git_finds_it_sound(manage, story, tmp_path):
    out = tmp_path / "out.git"
    assert manage("export", "--git", "product", out).out == f"Wrote 7 commits to {out}.\n"
    git(out, "fsck", "--strict", "--full")
    names = git(out, "-c", "core.quotePath=false", "ls-tree", "-r", "-z", "--name-only", "main").strip("\0").split("\0")
    assert set(names) == {"launch/plan.md", "launch/od_d _ name 🚀.md", "launch/_.git/config"}
    head = Document.objects.get(name="plan.md").head
    assert git(out, "show", "main:launch/plan.md") == head.blob.content.strip()
    assert list(tmp_path.iterdir()) == [out]


def test_authors_times_messages_and_parents_are_in_the_history(manage, cast: Cast, story, tmp_path):
    out = tmp_path / "out.git"
    manage("export", "--git", "product", out)
    log = git(out, "log", "--reverse", "--format=%an <%ae>|%at|%s|%P|%H", "main").splitlines()
    rows = [line.split("|") for line in log]
    assert [row[2] for row in rows[1:3]] == ["Add one", "Another day"]
    assert rows[0][0] == "Alice <alice@example.org>"
    assert rows[2][0] == "scout <alice@example.org>"
    assert int(rows[1][1]) == int(Commit.objects.get(message="Add one").created_at.timestamp())
    assert rows[2][3].split() == [rows[1][4], rows[0][4]]
    body = git(out, "show", "-s", "--format=%B", rows[2][4])
    assert "Baton-Agent: scout for Alice" in body
    assert f"Baton-Commit: {Commit.objects.get(message='Another day').pk}" in body
    assert "gone" in git(out, "show", f"{rows[4][4]}:launch/gone.md")


def test_somebody_exports_only_what_they_read(manage, cast: Cast, story, tmp_path):
    documents.create(cast.alice, location="product/secret.md", content="not for carol")
    manage("export", "--git", "product", tmp_path / "carol.git", "--as", "carol@example.org")
    assert "secret" not in git(tmp_path / "carol.git", "log", "--all", "--name-only")
    assert manage("export", "--git", "product", tmp_path / "m.git", "--as", "mallory@example.org").error
    assert not (tmp_path / "m.git").exists()


def test_a_name_that_was_used_again_belongs_to_its_present_document(manage, cast: Cast, story, tmp_path):
    documents.create(cast.alice, location="product/launch/gone.md", content="here again\n")
    documents.append(cast.alice, location="product/launch/gone.md", content="and on")
    manage("export", "--git", "product", tmp_path / "out.git")
    assert git(tmp_path / "out.git", "show", "main:launch/gone.md") == "here again\nand on"
    assert git(tmp_path / "out.git", "log", "--format=%s", "main", "--", "launch/gone.md").count("\n") == 1


def test_a_repository_is_written_over_only_when_told_to(manage, story, tmp_path):
    out = tmp_path / "out.git"
    manage("export", "--git", "product", out)
    assert "--force" in manage("export", "--git", "product", out).error
    assert manage("export", "--git", "product", out, "--force").error == ""
    git(out, "fsck", "--strict")
    other = tmp_path / "work"
    other.mkdir()
    (other / "mine.txt").write_text("mine")
    assert "not written over" in manage("export", "--git", "product", other, "--force").error
    assert (other / "mine.txt").read_text() == "mine"


def test_what_was_exported_comes_back_with_its_history(manage, cast: Cast, story, tmp_path):
    manage("export", "--git", "product/launch", tmp_path / "out.git")
    manage("import", tmp_path / "out.git", "--into", "copy", "--as", "alice@example.org")
    copied = list(Commit.objects.filter(location="copy/plan.md").order_by("number"))
    original = list(Commit.objects.filter(location=PLAN).order_by("number"))
    assert [c.blob_id for c in copied] == [c.blob_id for c in original]
    assert [c.created_at for c in copied] == [c.created_at.replace(microsecond=0) for c in original]
