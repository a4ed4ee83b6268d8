"""`import` of a git repository: authors, times, messages, parents and renames come along."""

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cast import Cast
from workspace.models import Commit, Document
from workspace.queries import history as reading
from workspace.services import documents, replay

INTO = "product/notes"


class Git:
    """A repository that a test writes, with an author and a time for each commit."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir()
        self.run("init", "-q", "-b", "main")

    def run(self, *arguments: str, **variables: str) -> str:
        environment = {
            **os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_COMMITTER_NAME": "c", "GIT_COMMITTER_EMAIL": "c@example.org",
            "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@example.org", **variables,
        }  # fmt: skip
        command = ["git", "-C", str(self.path), *arguments]
        return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()

    def write(self, name: str, text: str | bytes) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, message: str, author: str = "Ada Byron <ada@example.net>", day: int = 1) -> str:
        name, _, email = author.rstrip(">").partition(" <")
        self.run("add", "-A")
        self.run("commit", "-q", "--allow-empty", "-m", message, GIT_AUTHOR_NAME=name, GIT_AUTHOR_EMAIL=email,
                 GIT_AUTHOR_DATE=f"2024-05-{day:02}T10:00:00+02:00")  # fmt: skip
        return self.run("rev-parse", "HEAD")


@pytest.fixture
def git(tmp_path: Path) -> Git:
    return Git(tmp_path / "repository")


@pytest.fixture
def take(manage, cast: Cast) -> Callable:
    """Imports a path as alice."""
    return lambda path, *more: manage("import", path, "--into", INTO, "--as", "alice@example.org", *more)


def history(name: str) -> list[Commit]:
    return list(Commit.objects.filter(document__name=name).select_related("blob").order_by("number"))


def test_authors_times_and_messages_are_those_of_the_repository(take, git, manage):
    git.write("plan.md", "one\n")
    git.commit("Begin\n\nWith a body.", "Grace Hopper <grace@example.net>", day=1)
    git.write("plan.md", "one\ntwo\n")
    git.write("other.md", "other\n")
    git.commit("Go on", day=3)
    ran = take(git.path)
    first, second = history("plan.md")
    assert (first.imported_author, first.message) == ("Grace Hopper <grace@example.net>", "Begin\n\nWith a body.")
    assert first.created_at == datetime(2024, 5, 1, 8, tzinfo=UTC)
    assert (second.imported_author, second.parents, second.blob.content) == (
        "Ada Byron <ada@example.net>", [first.pk], "one\ntwo\n",
    )  # fmt: skip
    assert (first.author.email, first.via) == ("alice@example.org", "command")
    assert len(history("other.md")) == 1
    assert ran.out.startswith("2 created")
    assert "3 commits came along" in ran.out
    assert manage("verify").error == ""


def test_branches_and_merges_keep_their_parents_and_their_authors(take, git, manage, cast: Cast):
    git.write("plan.md", "one\n\ntwo\n\nthree\n")
    git.commit("Begin")
    git.run("checkout", "-q", "-b", "side")
    git.write("plan.md", "ONE\n\ntwo\n\nthree\n")
    git.commit("On the side", day=2)
    git.run("checkout", "-q", "main")
    git.write("plan.md", "one\n\ntwo\n\nTHREE\n")
    git.commit("On main", day=3)
    git.run("merge", "-q", "--no-ff", "-m", "Both", "side")
    take(git.path)
    commits = {commit.message: commit for commit in history("plan.md")}
    assert commits["On the side"].parents == commits["On main"].parents == [commits["Begin"].pk]
    assert commits["Both"].parents == [commits["On main"].pk, commits["On the side"].pk]
    assert commits["Both"].kind == "merge"
    assert history("plan.md")[-1].blob.content == "ONE\n\ntwo\n\nTHREE\n"
    wrote = {
        said.text: said.commits[0].message for said in reading.blame(cast.alice, location=f"{INTO}/plan.md").sentences
    }
    assert wrote == {"ONE": "On the side", "two": "Begin", "THREE": "On main"}
    assert manage("verify").error == ""


def test_a_renamed_file_keeps_the_history_it_had_before(take, git):
    git.write("old.md", "a text long enough\nto be known again\nafter its name has changed\n")
    git.commit("Begin")
    git.run("mv", "old.md", "new.md")
    git.commit("Rename", day=2)
    git.write("new.md", "a text long enough\nto be known again\nafter its name has changed\nand more\n")
    git.commit("More", day=3)
    take(git.path)
    assert [commit.message for commit in history("new.md")] in (["Begin", "More"], ["Begin", "Rename", "More"])
    assert not Document.objects.filter(name="old.md").exists()


def test_a_second_run_brings_only_the_new_commits(take, git):
    git.write("plan.md", "one\n")
    git.commit("Begin")
    take(git.path)
    assert "1 unchanged" in take(git.path).out
    git.write("plan.md", "two\n")
    git.commit("Second", day=2)
    git.write("plan.md", "three\n")
    git.commit("Third", day=3)
    ran = take(git.path)
    assert "0 created, 1 updated" in ran.out
    assert "2 commits came along" in ran.out
    assert [commit.message for commit in history("plan.md")] == ["Begin", "Second", "Third"]
    assert "1 unchanged" in take(git.path).out


def test_what_people_wrote_here_is_merged_with_the_repositorys_last_text(take, git, cast: Cast):
    git.write("plan.md", "one\n\ntwo\n\nthree\n")
    git.commit("Begin")
    take(git.path)
    documents.substitute(cast.alice, location=f"{INTO}/plan.md", old_string="three", new_string="three, here")
    git.write("plan.md", "ONE\n\ntwo\n\nthree\n")
    git.commit("Second", day=2)
    assert "1 merged" in take(git.path).out
    assert history("plan.md")[-1].blob.content == "ONE\n\ntwo\n\nthree, here\n"
    assert "1 unchanged" in take(git.path).out


def test_an_import_that_was_stopped_goes_on_where_it_was(take, git, monkeypatch):
    for number in range(1, 5):
        git.write("plan.md", f"{number}\n")
        git.commit(f"Commit {number}", day=number)
    calls, original = 0, replay.commit

    def stop(*arguments, **named):
        nonlocal calls
        calls += 1
        if calls == 3:
            raise KeyboardInterrupt
        return original(*arguments, **named)

    monkeypatch.setattr(replay, "commit", stop)
    with pytest.raises(KeyboardInterrupt):
        take(git.path)
    monkeypatch.undo()
    take(git.path)
    assert [commit.message for commit in history("plan.md")] == [f"Commit {number}" for number in range(1, 5)]


def test_versions_that_are_no_text_are_left_out_and_the_rest_is_kept(take, git, manage):
    git.write("plan.md", b"\xff")
    git.commit("Not text")
    git.write("plan.md", "text\n")
    git.commit("Text", day=2)
    git.run("rm", "-q", "plan.md")
    git.commit("Gone", day=3)
    git.write("plan.md", "back\n")
    git.commit("Back", day=4)
    take(git.path)
    assert [commit.message for commit in history("plan.md")] == ["Text", "Back"]
    assert manage("verify").error == ""


def test_a_bare_repository_and_odd_names_go_in_and_links_do_not(take, git, tmp_path):
    git.write("deep/Ωmega 🚀 %2F.md", "x\n")
    git.write("-rf.md", "dash\n")
    git.write(":(top)magic.md", "magic\n")
    git.write("new\nline.md", "no")
    (git.path / "link.md").symlink_to("/etc/passwd")
    git.commit("Odd")
    git.run("clone", "-q", "--bare", ".", str(tmp_path / "bare.git"))
    ran = take(tmp_path / "bare.git")
    assert set(Document.objects.values_list("name", flat=True)) == {"Ωmega 🚀 %2F.md", "-rf.md", ":(top)magic.md"}
    assert "link.md: is a symbolic link" in ran.err
    assert "line.md: may not hold control" in ran.err
    assert Commit.objects.count() == 3


def test_an_empty_repository_is_refused_and_a_broken_one_too(take, git, tmp_path):
    assert "without a commit" in take(git.path).error
    broken = tmp_path / "broken"
    for name in ("HEAD", "objects", "refs"):
        (broken / ".git" / name).mkdir(parents=True)
    assert "is a git repository that git does not read" in take(broken).error


def test_the_settings_of_a_repository_start_nothing(take, git, tmp_path):
    git.write("plan.md", "x\n")
    git.write(".gitattributes", "*.md diff=evil filter=evil\n")
    git.commit("Begin")
    mark = tmp_path / "started"
    for name in ("core.fsmonitor", "diff.external", "diff.evil.textconv", "diff.evil.command", "filter.evil.smudge",
                 "core.pager", "core.sshCommand", "gpg.program"):  # fmt: skip
        git.run("config", name, f"touch {mark}; cat")
    git.run("config", "log.showSignature", "true")
    assert "1 created" in take(git.path).out
    assert not mark.exists()


def test_a_repository_can_be_taken_as_a_folder(take, git):
    git.write("plan.md", "committed\n")
    git.commit("Begin")
    git.write("plan.md", "not committed\n")
    take(git.path, "--no-history")
    assert [commit.message for commit in history("plan.md")] == ["Import plan.md"]
    assert history("plan.md")[0].blob.content == "not committed\n"
