"""Lists, counts, searches and pages hold what a plain model says the caller may see, and nothing of anything else."""

import random
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

from django.test import Client
from hypothesis import given

from tests.parity.answers import by_tool, over_http
from tests.parity.asked import LISTING_TOOLS, LISTS, REST, TOOLS, Asked
from tests.parity.asked_pages import PAGES, WEB
from tests.parity.pairs import CALLED, Pair, differences, leaks, signed_in, with_token
from tests.parity.plans import Plan, plans
from tests.parity.world import COMMON, World, make, undone
from workspace.actor import Actor, Role
from workspace.models import Capture, Commit, Conflict, Job
from workspace.services import audit, contexts

ELSEWHERE = ("{proposal}", "{binding}", "{repository}", "{request}", "{invitation}", "{group}", "{person}", "{email}")


@CALLED
@given(plan=plans(expired=False))
def test_lists_are_complete_and_hold_nothing_else(db: None, plan: Plan) -> None:
    with undone():
        world = make(plan)
        actor, client = world.by_agent(), with_token(world)
        live = world.live(actor)
        assert {d["id"] for d in _every(client, "/documents", recursive="true")} == live
        _compare_folders(world, actor, client)
        written = {pk for kind, pk in world.tokens if kind == "name"}
        found = {hit["id"] for hit in _every(client, "/search", paged=False, q=COMMON, limit="100")}
        assert live & written <= found <= live
        by_key = {f.pk: f for f in world.folders}
        entered = world.entered(actor)
        captures = {c.pk for c in Capture.objects.filter(folder__in=entered) if not c.proposed}
        assert {c["id"] for c in _every(client, "/captures")} == captures
        documents = {d.pk: world.reads(actor, d) for d in world.documents}
        drafts = {c.pk for c in Conflict.objects.all() if documents[c.document_id] >= Role.EDITOR}
        assert {c["id"] for c in _every(client, "/conflicts")} == drafts
        jobs = {
            job.pk
            for job in Job.objects.all()
            if (documents[job.document_id] if job.document_id else world.role(actor, by_key[job.folder_id]))
        }
        assert {job["id"] for job in _every(client, "/jobs")} == jobs


def _every(client: Client, path: str, *, paged: bool = True, **asked: str) -> Iterator[dict[str, Any]]:
    """The items of all pages, three at a time, so that there are cursors."""
    cursor: str | None = None
    while True:
        given = {**asked, **({"limit": "3"} if paged else {}), **({"cursor": cursor} if cursor else {})}
        answered = client.get(f"/api/v1{path}?{urlencode(given)}").json()
        yield from answered["items"]
        cursor = answered["next_cursor"]
        if cursor is None:
            return


def _compare_folders(world: World, actor: Actor, client: Client) -> None:
    """Which folders are listed, with which role, and how much is said to be in each."""
    known, entered, live = world.known(actor), world.entered(actor), world.live(actor)
    listed = list(_every(client, "/folders"))
    for folder in listed:
        listed += _every(client, "/folders", parent=folder["location"])
    by_path = {f.path: f for f in world.folders if f.deleted_at is None}
    assert {by_path[f["location"]].pk for f in listed} == known
    for told in listed:
        folder = by_path[told["location"]]
        assert told["role"] == (Role(role).label if (role := world.role(actor, folder)) else None)
        inside = {d.pk for d in world.documents if d.folder_id == folder.pk and d.pk in live}
        below = {f.pk for f in world.folders if f.parent_id == folder.pk and f.pk in entered}
        assert (told["documents"], told["folders"]) == (len(inside), len(below))


@CALLED
@given(plan=plans(expired=False))
def test_what_one_may_ask_tells_of_nothing_hidden(db: None, plan: Plan) -> None:
    with undone():
        world = make(plan)
        found = list(_browsed(signed_in(world), [*PAGES, *WEB], Pair(world, world.person())))
        pair = Pair(world, world.by_agent())
        found += _browsed(with_token(world), [*LISTS, *REST], pair)
        secrets, seen = world.secrets(pair.actor), _seen(pair)
        for tool, arguments in (*LISTING_TOOLS, *TOOLS):
            if not any(name in str(arguments) for name in ELSEWHERE):
                with undone():
                    answer = by_tool(pair.actor, tool, arguments, seen, ())
                found += (f"{tool} {arguments}: {what}" for what in leaks(answer, secrets))
        assert not found, "\n".join(found)


def _browsed(client: Client, calls: list[Asked], pair: Pair) -> Iterator[str]:
    """What answers about the caller's own things tell of others'. What is written is taken back."""
    secrets, seen, cookies = pair.world.secrets(pair.actor), _seen(pair), client.cookies.copy()
    for asked in calls:
        if any(name in str(asked) for name in ELSEWHERE):
            continue
        with undone():
            client.cookies = cookies.copy()
            yield from (f"{asked}: {what}" for what in leaks(over_http(client, asked, seen, ()), secrets))


def _seen(pair: Pair) -> dict[str, str]:
    """Things of the same kinds, chosen from what the caller sees or passes through."""
    world, actor, chance = pair.world, pair.actor, random.Random(pair.world.chance.random())
    own = next(d for d in world.documents if f"{d.folder.path}/{d.name}" == pair.own["own"])
    read = [d for d in world.documents if world.reads(actor, d)]
    document = chance.choice([d for d in read if d.deleted_at is None])
    lost = chance.choice([d for d in read if d.deleted_at is not None] or [own])
    known = world.known(actor)
    folder = chance.choice([f for f in world.folders if f.pk in known])
    top = next(f for f in world.folders if f.pk == folder.lineage[0])
    return {
        "folder": folder.path,
        "top": top.path,
        "folder above": top.path,
        "folder name": folder.name,
        "document": f"{document.folder.path}/{document.name}",
        "lost": f"{lost.folder.path}/{lost.name}",
        "id": document.pk,
        "commit": Commit.objects.filter(document=document).latest("number").pk,
        "conflict": Conflict.objects.get(document=own).pk,
        "capture": Capture.objects.kept().get(folder=own.folder).pk,
        "job": Job.objects.filter(document=own).earliest("pk").pk,
        "receipt": contexts.prepare(actor, prompt=COMMON).receipt,
        "agent": world.agent.pk,
        **pair.own,
    }


@CALLED
@given(plan=plans(expired=False))
def test_a_word_that_only_hidden_texts_hold_is_found_nowhere(db: None, plan: Plan) -> None:
    """Searched for like a word that nothing holds: by statements, by counts, by what is suggested in its place."""
    with undone():
        world = make(plan)
        person, agent = Pair(world, world.person()), Pair(world, world.by_agent())
        chance = random.Random(plan.seed)
        for pair, client, templates in (
            (
                person,
                signed_in(world),
                ("/search?q={word}", "/search?q={word}&mode=titles", "/palette?q={word}", "/share-with?subject={word}"),
            ),
            (agent, with_token(world), ("/api/v1/search?q={word}", "/api/v1/search?q={word}&mode=titles")),
        ):
            secrets, cookies = world.secrets(pair.actor), client.cookies.copy()
            words = [word for word in sorted(secrets) if len(word) == 9]
            for word in chance.sample(words, 4):
                twin = world.fresh()
                for template in templates:
                    answers = []
                    for each in (word, word[:6], twin, twin[:6]):
                        client.cookies = cookies.copy()
                        audit.forget_refusals()
                        tokens = [(word, twin), (word[:6], twin[:6])]
                        answers.append(over_http(client, Asked("GET", template), {"word": each}, tokens))
                    for one, other in ((0, 2), (1, 3)):
                        found = list(differences([answers[one], answers[other]], secrets))
                        assert not found, (template, secrets[word], found)
