"""A workspace made by chance, and a plain model of who may see what in it.

Every name, title and text holds a token of its own, so that what an answer gives away can be told from its bytes.
The ``vault`` holds one of everything and is never shared with the caller.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from django.db import connection, transaction
from django.utils import timezone

from tests.cast import PASSWORD
from tests.parity.plans import GROUPS, ODD, PEOPLE, Plan
from workspace import locations
from workspace.access import person_actor
from workspace.actor import Actor, Role, Scope, Via
from workspace.errors import Forbidden
from workspace.jobs import work
from workspace.models import (
    Agent,
    AgentScope,
    AgentToken,
    Binding,
    Capture,
    Commit,
    Conflict,
    Document,
    Folder,
    Grant,
    Group,
    Job,
    JobState,
    Membership,
    Nesting,
    Person,
)
from workspace.services import (
    access_requests,
    agents,
    bearer,
    bindings,
    captures,
    contexts,
    documents,
    folders,
    invitations,
    sharing,
)

COMMON = "commonplace"
"""A word that every document and capture holds."""
LETTERS = "bcdfghjklmnpqrstvwxz"


@contextmanager
def undone() -> Iterator[None]:
    """Whatever is done inside is taken back at the end."""
    block = transaction.atomic()
    # As pytest's own: it does not keep the services from their outermost transactions.
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)


@dataclass(kw_only=True)
class World:
    """What was made. ``tokens`` says which token a folder, document, capture or conflict has, by kind and key."""

    caller: Person
    owner: Actor
    agent: Agent
    token: str
    expired: bool
    chance: random.Random
    tokens: dict[tuple[str, Any], str] = field(default_factory=dict)
    folders: list[Folder] = field(default_factory=list)
    documents: list[Document] = field(default_factory=list)
    vault: str = ""
    mine: str = ""
    ghosts: tuple[str, ...] = ()
    """Tokens of people, groups and agents that have to do with the vault alone."""
    former: dict[str, int] = field(default_factory=dict)
    """Tokens of names that documents had before they were moved, with the folder where each had it."""
    given: dict[str, str] = field(default_factory=dict)
    """Ids of what there is in the vault of requests, invitations, groups and people, and of what is the owner's alone
    in ``mine``."""

    def fresh(self) -> str:
        return "".join(self.chance.choice(LETTERS) for _ in range(9))

    def person(self) -> Actor:
        return person_actor(self.caller, via=Via.WEB)

    def by_agent(self) -> Actor:
        return bearer.authenticate(self.token, via=Via.MCP)

    # -- the model: the rule in plain words, upon the bare rows --

    def role(self, actor: Actor, folder: Folder, document: str | None = None) -> int:
        """The role of ``actor`` in ``folder``, or on ``document`` in it; 0 for none."""
        if actor.person is None or actor.admin:
            held = int(Role.MANAGER)
        else:
            subjects = self._groups(actor.person)
            held = max(
                (
                    grant.role
                    for grant in self._grants()
                    if (grant.folder_id in folder.lineage or (document and grant.document_id == document))
                    and (grant.person_id == actor.person or grant.group_id in subjects)
                ),
                default=0,
            )
        if actor.scopes or actor.person is None:
            held = min(held, max((self._allows(s, folder, document) for s in actor.scopes), default=0))
        return held

    def _allows(self, scope: Scope, folder: Folder, document: str | None) -> int:
        everywhere = scope.folder is None and scope.document is None
        here = scope.folder in folder.lineage or (document is not None and scope.document == document)
        return int(scope.role) if everywhere or here else 0

    def _grants(self) -> list[Grant]:
        if not hasattr(self, "_given"):
            self._given = list(Grant.objects.all())
            self._in = list(Membership.objects.values_list("group", "person"))
            self._nested = list(Nesting.objects.values_list("outer", "inner"))
        return self._given

    def _groups(self, person: int) -> set[int]:
        self._grants()
        found = {group for group, member in self._in if member == person}
        while more := {outer for outer, inner in self._nested if inner in found} - found:
            found |= more
        return found

    def reads(self, actor: Actor, document: Document) -> int:
        return self.role(actor, document.folder, document.pk)

    def live(self, actor: Actor, need: Role = Role.VIEWER) -> set[str]:
        """Ids of the living documents that ``actor`` has the role ``need`` in."""
        return {d.pk for d in self.documents if d.deleted_at is None and self.reads(actor, d) >= need}

    def entered(self, actor: Actor, need: Role = Role.VIEWER) -> set[int]:
        """Keys of the living folders that ``actor`` has the role ``need`` in."""
        return {f.pk for f in self.folders if f.deleted_at is None and self.role(actor, f) >= need}

    def known(self, actor: Actor, *, deleted: bool = False) -> set[int]:
        """Keys of the folders that ``actor`` may know the names of: seen, or on the way to something that is."""
        seen = [f for f in self.folders if (deleted or f.deleted_at is None) and self.role(actor, f)]
        ways = [d.folder for d in self.documents if (deleted or d.deleted_at is None) and self.reads(actor, d)]
        return {key for folder in (*seen, *ways) for key in folder.lineage}

    def secrets(self, actor: Actor) -> dict[str, str]:
        """What must stand in no answer to ``actor``, each with what it is."""
        known = self.known(actor, deleted=True)
        found = {self.tokens["folder", f.pk]: f"folder {f.path}" for f in self.folders if f.pk not in known}
        by_key = {f.pk: f for f in self.folders}
        for document in self.documents:
            role = self.reads(actor, document)
            name = f"document {document.folder.path}/{document.name}"
            if not role:
                for kind in ("name", "title", "text"):
                    if ("name", document.pk) in self.tokens:
                        found[self.tokens[kind, document.pk]] = f"{kind} of {name}"
                found[document.pk] = f"id of {name}"
                for commit in Commit.objects.filter(document=document).values_list("pk", flat=True):
                    found[commit[:12]] = f"commit of {name}"
            if role < Role.EDITOR:
                for conflict in Conflict.objects.filter(document=document):
                    found[conflict.pk] = f"conflict of {name}"
                    found[self.tokens["conflict", conflict.pk]] = f"draft of {name}"
        for capture in Capture.objects.all():
            # What was proposed to another is hidden from whoever manages its folder too, and from every agent.
            anothers = capture.proposed and (capture.author_id != actor.person or actor.agent)
            if anothers or not self.role(actor, by_key[capture.folder_id]):
                found[capture.pk] = f"capture {capture.pk}"
                found[self.tokens["capture", capture.pk]] = f"text of capture {capture.pk}"
        for binding in Binding.objects.exclude(person=actor.person):
            found[binding.pk] = f"binding {binding.pk}"
            found[self.tokens["binding", binding.pk]] = f"repository of binding {binding.pk}"
        for token, key in self.former.items():
            if not self.role(actor, by_key[key]):
                found[token] = f"a name that a document had in folder {by_key[key].path}"
        found |= {self.given[kind]: f"{kind} of the vault" for kind in ("request", "invitation")}
        return found | dict.fromkeys(self.ghosts, "somebody of the vault")


def make(plan: Plan) -> World:
    """The world of ``plan`` in the database, its background work done."""
    chance = random.Random(plan.seed)
    _count_from()
    admin = Person.objects.create_superuser("owner@example.org", PASSWORD, name="Owner")
    owner = person_actor(admin, via=Via.REST)
    people = {name: Person.objects.create_user(f"{name}@example.org", PASSWORD, name=name) for name in PEOPLE}
    minted = agents.create(person_actor(people["caller"], via=Via.REST), name="spy")
    world = World(
        caller=people["caller"],
        owner=owner,
        agent=Agent.objects.get(pk=minted.agent_id),
        token=minted.token,
        expired=plan.expired,
        chance=chance,
    )
    places = _tree(world, plan)
    _fill_vault(world)
    _fill_mine(world)
    work.drain(seconds=30)
    Job.objects.filter(folder=None).update(state=JobState.FAILED)
    groups = [Group.objects.create(name=f"team {n}") for n in range(GROUPS)]
    for outer, inner in plan.nestings:
        Nesting.objects.create(outer=groups[outer], inner=groups[inner])
    for group, person in plan.members:
        Membership.objects.create(group=groups[group], person=people[PEOPLE[person]])
    subjects = [*(person.email for person in people.values()), *(f"group:{group.name}" for group in groups)]
    for place, subject, role in plan.grants:
        try:
            sharing.grant(owner, location=places[place], subject=subjects[subject], role=role.label)
        except Forbidden:
            continue  # the last manager of a place cannot be made less
    _delete(world, plan, places)
    world.folders = list(Folder.objects.all())
    world.documents = list(Document.objects.select_related("folder"))
    _narrow(world, plan, places)
    return world


def _count_from() -> None:
    """Numbers of groups and people begin with ten digits, so that those of none can be as long."""
    with connection.cursor() as cursor:
        for model in (Group, Person):
            table = model._meta.db_table
            cursor.execute(
                f"SELECT setval(pg_get_serial_sequence('{table}', 'id'), greatest(max(id), 1000000000)) FROM {table}"
            )


def _tree(world: World, plan: Plan) -> list[str]:
    """The folders and documents of the plan, in its order; their locations."""
    places: list[str] = []
    for parent, odd in plan.folders:
        places.append(_folder(world, places[parent] if parent >= 0 else "", ODD[odd]))
    inside = list(places)
    for n, (folder, odd, _) in enumerate(plan.documents):
        places.append(_document(world, inside[folder], ODD[odd], conflict=n == 0))
    _capture(world, inside[0])
    Grant.objects.all().delete()
    return places


def _folder(world: World, above: str, odd: str) -> str:
    token = world.fresh()
    made = folders.create(world.owner, location=locations.join(above, odd + token))
    world.tokens["folder", made.id] = token
    return made.location


def _document(world: World, folder: str, odd: str, *, conflict: bool = False) -> str:
    name, title, text = (world.fresh() for _ in range(3))
    body = f"# {odd.strip('#<>')} {title}\n\n{COMMON} {text}\n\nlast line\n"
    made = documents.create(world.owner, location=f"{folder}/{odd}{name}.md", content=body)
    world.tokens |= {("name", made.document): name, ("title", made.document): title, ("text", made.document): text}
    documents.substitute(world.owner, location=made.location, old_string="last", new_string="newest")
    if conflict:
        draft = world.fresh()
        kept = documents.substitute(
            world.owner, location=made.location, old_string="last", new_string=draft, expected_commit=made.commit
        )
        world.tokens["conflict", kept.conflict] = draft  # type: ignore[union-attr]
    return made.location


def _capture(world: World, folder: str, *, propose: bool = False) -> str:
    token = world.fresh()
    contexts.prepare(world.owner, prompt=COMMON, location=folder)
    text = f"# Decided\n\n- {COMMON} {token}"
    made = captures.commit(world.owner, folder=folder, content=text, operation_id=token, propose=propose)
    world.tokens["capture", made.id] = token
    return made.id


def _bind(world: World, folder: str) -> str:
    token = world.fresh()
    made = bindings.bind(world.owner, repository=f"github.com/{token}/shop", folder=folder)
    world.tokens["binding", made.id] = token
    return made.id


def _fill_vault(world: World) -> None:
    """One of everything, of people whom the caller has nothing to do with."""
    world.vault = _folder(world, "", "vault")
    deep = _folder(world, world.vault, ODD[world.chance.randrange(len(ODD))])
    _document(world, world.vault, "Päge", conflict=True)
    lost = _document(world, deep, "a b")
    documents.delete(world.owner, location=lost)
    _document(world, deep, "x%2Fy")
    folders.delete(world.owner, location=_folder(world, world.vault, "gone"))
    _capture(world, deep)
    ghost, phantom, asker, inner, outer, bot = world.ghosts = tuple(world.fresh() for _ in range(6))
    people = [
        Person.objects.create_user(f"{name}@example.org", PASSWORD, name=name) for name in (ghost, phantom, asker)
    ]
    groups = [Group.objects.create(name=name) for name in (inner, outer)]
    Nesting.objects.create(outer=groups[1], inner=groups[0])
    Membership.objects.create(group=groups[0], person=people[1])
    agents.create(person_actor(people[0], via=Via.REST), name=bot)
    for subject in (people[0].email, f"group:{outer}"):
        sharing.grant(world.owner, location=world.vault, subject=subject, role="manager")
    asked = access_requests.ask(person_actor(people[2], via=Via.REST), location=deep, role="manager")
    invited = invitations.create(world.owner, email="", location=deep, role="viewer")
    world.given = {
        "request": asked.id,
        "invitation": invited.id,
        "group": str(groups[1].pk),
        "person": str(people[0].pk),
        "email": people[0].email,
    }


def _fill_mine(world: World) -> None:
    """A folder that the caller manages, with one of everything in it and what is the owner's alone, and a document that
    they manage by itself. Both documents were in the vault before."""
    world.mine = _folder(world, "", "mine")
    sharing.grant(world.owner, location=world.mine, subject="caller@example.org", role="manager")
    _moved(world, _document(world, world.vault, "was", conflict=True), world.mine, "own")
    _capture(world, world.mine)
    bound = _bind(world, world.mine)
    world.given |= {
        "proposal": _capture(world, world.mine, propose=True),
        "binding": bound,
        "repository": f"github.com/{world.tokens['binding', bound]}/shop",
    }
    single = _moved(world, _document(world, world.vault, "alone"), _folder(world, "", "apart"), "single")
    sharing.grant(world.owner, location=single, subject="caller@example.org", role="manager")


def _moved(world: World, location: str, folder: str, odd: str) -> str:
    """The document at ``location``, moved into ``folder`` under another name."""
    name = world.fresh()
    held = Document.objects.get(folder__path=world.vault, name=location.rpartition("/")[2])
    documents.substitute(world.owner, location=location, old_string="newest", new_string="very newest")
    made = documents.move(
        world.owner, source=location, target=f"{folder}/{odd}{name}.md", acknowledge_access_change=True
    )
    world.former[world.tokens["name", held.pk]] = held.folder_id
    world.tokens["name", held.pk] = name
    return made.location


def _delete(world: World, plan: Plan, places: list[str]) -> None:
    for location, (_, _, deleted) in zip(places[len(plan.folders) :], plan.documents, strict=True):
        if deleted:
            documents.delete(world.owner, location=location)


def _narrow(world: World, plan: Plan, places: list[str]) -> None:
    """The scopes of the caller's agent; and its token's end, where it is over."""
    documents_at = {f"{d.folder.path}/{d.name}": d for d in world.documents}
    folders_at = {f.path: f for f in world.folders}
    for role, place in plan.scopes:
        location = places[place] if place >= 0 else ""
        target: dict[str, Any] = {}
        if location in folders_at:
            target = {"folder": folders_at[location]}
        elif location:
            target = {"document": documents_at[location]}
        AgentScope.objects.create(agent=world.agent, role=role, **target)
    if plan.scopes:
        # Whatever it is narrowed to, it keeps what is the caller's own, so that there is something to see.
        AgentScope.objects.create(agent=world.agent, role=Role.MANAGER, folder=folders_at[world.mine])
    if plan.expired:
        AgentToken.objects.filter(agent=world.agent).update(expires_at=timezone.now() - timedelta(days=1))
