"""Telling the story through the services that everybody uses. Told twice, it adds nothing."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from workspace import access
from workspace.actor import Actor, Via
from workspace.errors import AlreadyExists
from workspace.management.demo import cast, story
from workspace.management.demo.story import Page, Write
from workspace.management.operator import operator
from workspace.merge import merge_text
from workspace.models import Agent, Capture, Commit, Conflict, Document, Folder, Grant, Group, Person
from workspace.services import agents, bearer, captures, commits, documents, folders, groups, people, replay, sharing

Say = Callable[[str], object]


class Teller:
    """Makes what is missing of the story, in its order; what is there is left as people have it by now."""

    def __init__(self, say: Say) -> None:
        self.say = say
        self.operator = operator("demo")
        self.actors: dict[str, Actor] = {}

    def tell(self) -> None:
        """The whole story. Stopped half-way, the next telling goes on.

        Raises ``AlreadyExists``, and makes nothing, where a folder of other people's stands in its way.
        """
        self._refuse_strangers()
        self._people()
        self._groups()
        self._shares()
        self._helpers()
        for page in story.PAGES:
            self._page(page)
        self._contest()
        self._sessions()

    def _refuse_strangers(self) -> None:
        if Person.objects.filter(email=cast.MEMBERS[0].email).exists():
            return  # begun before: the folders are its own
        tops = {
            place.partition("/")[0]
            for place in (*(s.location for s in cast.SHARES), *(p.location for p in story.PAGES))
        }
        taken = Folder.objects.live().filter(path__in=tops).order_by("path").values_list("path", flat=True)
        if taken:
            raise AlreadyExists(
                f"the folder {taken[0]} is there already and the demo needs that name. Use an empty workspace.",
                location=taken[0],
            )

    def _people(self) -> None:
        # In a workspace that people use already, nobody with a password that everybody knows may administer it.
        fresh = not Person.objects.exists()
        for member in cast.MEMBERS:
            person = Person.objects.filter(email=member.email).first()
            if person is None:
                admin = fresh and member is cast.MEMBERS[0]
                person = people.create(
                    self.operator, email=member.email, name=member.name, password=cast.PASSWORD, admin=admin
                )
            self.actors[member.key] = access.person_actor(person, via=Via.WEB)

    def _groups(self) -> None:
        for name, members in cast.GROUPS.items():
            group = Group.objects.filter(name=name).first() or groups.create(self.operator, name=name)
            for key in members:
                person = self.actors[key].person
                assert person is not None
                groups.add(self.operator, group=group.pk, person=person)

    def _shares(self) -> None:
        for share in cast.SHARES:
            by = self.actors[share.by]
            if not Folder.objects.live().filter(path=share.location).exists():
                folders.create(by, location=share.location)
            granted = Grant.objects.filter(folder__path=share.location)
            if share.subject.startswith(sharing.GROUP):
                granted = granted.filter(group__name=share.subject.removeprefix(sharing.GROUP))
            else:
                granted = granted.filter(person__email=share.subject)
            if not granted.exists():
                sharing.grant(by, location=share.location, subject=share.subject, role=share.role)

    def _helpers(self) -> None:
        for helper in cast.HELPERS:
            person = self.actors[helper.person].person
            if not Agent.objects.filter(person=person, name=helper.name).exists():
                self._actor(helper.name)

    def _actor(self, name: str) -> Actor:
        """A member, or a helper as an agent whose token only this telling ever holds."""
        if name not in self.actors:
            helper = next(helper for helper in cast.HELPERS if helper.name == name)
            person = self.actors[helper.person]
            for left in Agent.objects.filter(person=person.person, name=name, revoked_at=None):
                agents.revoke(person, agent=left.pk)  # of a telling that was stopped: its token is lost
            minted = agents.create(person, name=name, scopes=helper.scopes, host=helper.host)
            self.actors[name] = bearer.authenticate(minted.token, via=Via.MCP)
        return self.actors[name]

    def _page(self, page: Page) -> None:
        document = self._document(page.location)
        for number, write in enumerate(page.writes, 1):
            if document is not None and number <= document.number:
                continue
            text, parents = self._text(document, write)
            replay.commit(
                self._actor(write.by),
                location=page.location,
                document=document.pk if document else None,
                content=text,
                at=timezone.now() - timedelta(days=write.days),
                parents=parents,
                message=write.message,
                reason=write.reason,
            )
            document = self._document(page.location)
            self.say(f"{page.location}: {write.message}")

    def _document(self, location: str) -> Document | None:
        folder, _, name = location.rpartition("/")
        rows = Document.objects.filter(folder__path=folder, name=name).select_related("head")
        return rows.order_by("-created_at").first()

    def _text(self, document: Document | None, write: Write) -> tuple[str, list[str]]:
        if document is None:
            return story.text_of(write.text), []
        head = commits.text_of(document.head)
        if write.upon is None:
            return _changed(head, write), [document.head.pk]
        base = Commit.objects.get(document=document, number=write.upon)
        merged = merge_text(commits.text_of(base), head, _changed(commits.text_of(base), write))
        assert merged is not None
        return merged, [document.head.pk, base.pk]

    def _contest(self) -> None:
        document = self._document(story.PLAN)
        if document is None or document.deleted_at or Conflict.objects.filter(document=document).exists():
            return
        base = str(document.head_id)
        for name, old, new in story.CONTESTED:
            text = commits.text_of(Commit.objects.get(pk=base))
            documents.edit(
                self._actor(name),
                location=access.location_of(document),
                content=text.replace(old, new),
                expected_commit=base,
                on_conflict="merge",
                message="Set the day of the launch",
            )
        self.say(f"{story.PLAN}: two who set the day of the launch")

    def _sessions(self) -> None:
        for session in story.SESSIONS:
            if Capture.objects.filter(session=session.session, folder__path=session.folder).exists():
                continue
            captures.commit(
                self._actor(session.by),
                folder=session.folder,
                content=story.text_of(session.text),
                operation_id=f"demo-{session.session}",
                session=session.session,
                event="session-end",
            )
            self.say(f"{session.folder}: {session.by} saved a session")


def _changed(text: str, write: Write) -> str:
    for old, new in write.changes:
        assert text.count(old) == 1, (write.message, old)
        text = text.replace(old, new)
    return text
