"""Listings, filters and roles give what a plain model of the rule gives, in random worlds, for everybody."""

import random
from collections.abc import Iterator
from dataclasses import replace

from hypothesis import HealthCheck, Phase, given, settings

from tests.parity.plans import Plan, plans
from tests.parity.world import World, make, undone
from workspace.access import effective, person_actor
from workspace.actor import Actor, Role, Scope, Via
from workspace.models import Document, Folder, Person, Reach

DRAWN = settings(
    max_examples=15,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)


def everybody(world: World) -> Iterator[Actor]:
    """Each person as themselves and by agents narrowed by chance, an administrator's agents, and jobs."""
    chance = random.Random(world.chance.random())
    places = [{}, *({"folder": f.pk} for f in world.folders), *({"document": d.pk} for d in world.documents)]

    def scopes() -> tuple[Scope, ...]:
        return tuple(
            Scope(role=chance.choice(list(Role)), **chance.choice(places)) for _ in range(chance.randint(1, 3))
        )

    for person in Person.objects.order_by("pk"):
        actor = person_actor(person, via=Via.REST)
        yield actor
        yield replace(actor, agent="agt_x", via=Via.MCP, scopes=scopes())
    yield Actor.for_job("sweeper", scopes=scopes())
    yield Actor.for_job("idle", scopes=())


@DRAWN
@given(plan=plans())
def test_the_filters_give_what_the_model_gives(db: None, plan: Plan) -> None:
    with undone():
        world = make(plan)
        for actor in everybody(world):
            for need in Role:
                reach = Reach(actor, need)
                documents = Document.objects.live().visible_to(reach)
                assert set(documents.values_list("pk", flat=True)) == world.live(actor, need), (actor, need)
                folders = Folder.objects.live().visible_to(reach)
                assert set(folders.values_list("pk", flat=True)) == world.entered(actor, need), (actor, need)
            for document in Document.objects.select_related("folder").with_role(Reach(actor)):
                role = effective(actor, document.granted, document.folder.lineage, document.pk)
                assert (role or 0) == world.reads(actor, document), (actor, document)
