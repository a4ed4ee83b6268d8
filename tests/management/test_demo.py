"""`demo`: told once it is all there, told twice it adds nothing, and it is consistent throughout."""

import pytest

from workspace.access import person_actor
from workspace.actor import Via
from workspace.management.demo import cast, story
from workspace.management.demo.telling import Teller
from workspace.models import Agent, Capture, Commit, Conflict, Document, Folder, Grant, Membership, Person
from workspace.queries import documents as reading
from workspace.services import documents, people


def counts() -> dict[str, int]:
    kinds = (Agent, Capture, Commit, Conflict, Document, Folder, Grant, Membership, Person)
    return {kind.__name__: kind.objects.count() for kind in kinds}


def test_the_demo_holds_what_it_tells_of(manage):
    ran = manage("demo")
    assert ran.error == ""
    assert counts()["Person"] == len(cast.MEMBERS)
    assert set(Agent.objects.values_list("name", flat=True)) >= {"scout", "relay", "quill"}
    assert len(set(Agent.objects.values_list("host", flat=True))) >= 3
    assert Conflict.objects.filter(state="open").count() == 1
    assert Commit.objects.filter(kind="merge").count() == 2
    assert Capture.objects.count() == len(story.SESSIONS)
    assert Commit.objects.filter(agent__isnull=False).count() >= 5
    for page in story.PAGES:
        written = Commit.objects.filter(location=page.location).order_by("number")
        assert [c.message for c in written][: len(page.writes)] == [w.message for w in page.writes]
        assert [c.created_at for c in written] == sorted(c.created_at for c in written)
    for member in cast.MEMBERS:
        assert member.email in ran.out
        assert Person.objects.get(email=member.email).check_password(cast.PASSWORD)
    assert manage("verify").error == ""


def test_twice_is_harmless(manage):
    manage("demo")
    before = counts()
    assert manage("demo").error == ""
    assert counts() == before


def test_what_people_made_of_it_since_stays(manage):
    manage("demo")
    maya = person_actor(Person.objects.get(email="maya@fernside.example"), via=Via.WEB)
    documents.append(maya, location="product/launch/faq.md", content="Mine.")
    documents.delete(maya, location="company/glossary.md")
    before = counts()
    manage("demo")
    assert counts() == before
    assert reading.read(maya, location="product/launch/faq.md").content.endswith("Mine.\n")


def test_a_telling_that_was_stopped_goes_on(manage):
    class Stopped(Exception):
        pass

    def stop(line: str) -> None:
        if "Bring the pilot's numbers" in line:
            raise Stopped

    with pytest.raises(Stopped):
        Teller(stop).tell()
    manage("demo")
    assert Document.objects.get(name="plan.md").number == 6
    assert Conflict.objects.count() == 1
    assert Agent.objects.filter(revoked_at=None, name="scout").count() == 1


def test_maya_administers_an_empty_workspace_and_no_other(manage):
    manage("demo")
    assert list(Person.objects.filter(is_superuser=True).values_list("email", flat=True)) == ["maya@fernside.example"]


def test_nobody_of_the_demo_administers_a_workspace_in_use(manage):
    operator = Teller(print).operator
    people.create(operator, email="root@example.org", admin=True)
    manage("demo")
    assert list(Person.objects.filter(is_superuser=True).values_list("email", flat=True)) == ["root@example.org"]


def test_everybody_reads_what_is_shared_with_them_and_leo_the_launch_alone(manage):
    manage("demo")
    leo = person_actor(Person.objects.get(email="leo@fernside.example"), via=Via.WEB)
    seen = {row.location for row in reading.below(leo, limit=100).items}
    assert seen == {"product/launch/faq.md", "product/launch/plan.md"}


def test_a_folder_in_its_way_stops_the_demo_before_anything_is_made(manage, cast):
    people_before = Person.objects.count()
    ran = manage("demo")
    assert "product" in ran.error
    assert Person.objects.count() == people_before
