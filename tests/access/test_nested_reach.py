"""Who reaches what through groups within groups: every shape of the rule beside a model of it in plain Python."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import pytest
from django.db import connection, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cast import Cast
from workspace import access, errors
from workspace.actor import Actor, Role, Scope, Via
from workspace.models import Document, Folder, Grant, Group, Membership, Nesting, Person, Reach
from workspace.queries import access as who_can
from workspace.queries import documents as reads
from workspace.queries import folders as tree
from workspace.queries import holders, people, visible
from workspace.services import documents

FOLDERS = ("product", "product/launch", "product/launch/deep", "other", "other/a", "other/a/b")
GROUPS, PEOPLE = 5, ("alice", "bob", "carol", "mallory")


@dataclass(frozen=True, kw_only=True)
class World:
    """Edges and grants by number: groups 0 to 4, the cast in order, folders and then one document in each."""

    nestings: frozenset[tuple[int, int]]  # (outer, inner)
    members: frozenset[tuple[int, int]]  # (group, person)
    grants: tuple[tuple[int, bool, int, int], ...]  # (place, to a group, subject, role)

    def groups_of(self, person: int) -> set[int]:
        found = {group for group, member in self.members if member == person}
        while more := {outer for outer, inner in self.nestings if inner in found} - found:
            found |= more
        return found

    def role(self, person: int, place: int) -> int:
        """The highest role by the grants on the place and on the folders above it; 0 for none."""
        inside = self.groups_of(person)
        above = FOLDERS[place % len(FOLDERS)]
        return max(
            (
                role
                for at, to_group, subject, role in self.grants
                if (at == place or (at < len(FOLDERS) and f"{above}/".startswith(f"{FOLDERS[at]}/")))
                and (subject in inside if to_group else subject == person)
            ),
            default=0,
        )


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Nestings go from lower to higher numbers, so that they close no circle."""
    pairs = [(outer, inner) for outer in range(GROUPS) for inner in range(outer + 1, GROUPS)]
    grants = draw(
        st.lists(
            st.tuples(
                st.integers(0, 2 * len(FOLDERS) - 1),
                st.booleans(),
                st.integers(0, len(PEOPLE) - 1),
                st.sampled_from([1, 2, 3]),
            ),
            max_size=8,
            unique_by=lambda grant: grant[:3],
        )
    )
    return World(
        nestings=draw(st.frozensets(st.sampled_from(pairs), max_size=6)),
        members=draw(st.frozensets(st.tuples(st.integers(0, GROUPS - 1), st.integers(0, len(PEOPLE) - 1)), max_size=6)),
        grants=tuple(grants),
    )


@pytest.fixture
def places(cast: Cast) -> list[Folder | Document]:
    """The folders, and in each a document, as a world numbers them; nothing granted yet."""
    admin = replace(cast.alice, admin=True)
    for folder in FOLDERS:
        documents.create(admin, location=f"{folder}/page.md", content="x")
    Grant.objects.all().delete()
    by_path = {folder.path: folder for folder in Folder.objects.all()}
    by_folder = {document.folder_id: document for document in Document.objects.select_related("folder")}
    return [*(by_path[path] for path in FOLDERS), *(by_folder[by_path[path].pk] for path in FOLDERS)]


@pytest.fixture
def cast_people(cast: Cast) -> list[Person]:
    return [cast.people[name] for name in PEOPLE]


def build(world: World, places: list[Folder | Document], cast_people: list[Person]) -> list[Group]:
    groups = [Group.objects.create(name=f"group {n}") for n in range(GROUPS)]
    Nesting.objects.bulk_create(Nesting(outer=groups[a], inner=groups[b]) for a, b in world.nestings)
    Membership.objects.bulk_create(Membership(group=groups[g], person=cast_people[p]) for g, p in world.members)
    for place, to_group, subject, role in world.grants:
        whom = {"group": groups[subject]} if to_group else {"person": cast_people[subject]}
        Grant.objects.create(**access.scope_of(places[place]), **whom, role=role)
    return groups


def undone(world: World, places: list[Folder | Document], cast_people: list[Person]) -> Iterator[list[Group]]:
    """The world in the database, taken back afterwards."""
    with transaction.atomic():
        yield build(world, places, cast_people)
        transaction.set_rollback(True)


def location(place: Folder | Document) -> str:
    return place.path if isinstance(place, Folder) else access.location_of(place)


def looked_up(actor: Actor, place: Folder | Document) -> int:
    try:
        return int(access.place(actor, location=location(place)).role)
    except errors.NotFound:
        return 0


UNHURRIED = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


@UNHURRIED
@given(
    world=worlds(),
    scope=st.tuples(st.integers(0, 2 * len(FOLDERS) - 1), st.sampled_from(list(Role))),
    asked=st.sampled_from([1, 2, visible.ASKED]),
)
def test_every_shape_of_the_rule_gives_what_the_model_gives(
    places: list[Folder | Document],
    cast_people: list[Person],
    monkeypatch: pytest.MonkeyPatch,
    world: World,
    scope: tuple[int, Role],
    asked: int,
) -> None:
    monkeypatch.setattr(visible, "ASKED", asked)
    everywhere = range(len(places))
    for _ in undone(world, places, cast_people):
        for n, person in enumerate(cast_people):
            actor = access.person_actor(person, via=Via.REST)
            roles = {place: world.role(n, place) for place in everywhere}
            assert [looked_up(actor, places[place]) for place in everywhere] == list(roles.values())
            seen = {places[place].pk for place in roles if roles[place]}
            for need in Role:
                reach = Reach(actor, need)
                rows = {*Folder.objects.visible_to(reach), *Document.objects.visible_to(reach)}
                assert rows == {places[place] for place in roles if roles[place] >= need}
            listed = reads.below(actor, limit=2)
            found = list(listed.items)
            while listed.next_cursor:
                listed = reads.below(actor, limit=2, cursor=listed.next_cursor)
                found += listed.items
            assert len({row.id for row in found}) == len(found)
            assert {row.id: int(row.role) for row in found} == {
                places[p].pk: roles[p] for p in roles if roles[p] and isinstance(places[p], Document)
            }
            assert {node.location: node.role and int(node.role) for node in tree.tree(actor) if node.role} == {
                location(places[p]): roles[p] for p in roles if roles[p] and isinstance(places[p], Folder)
            }
            narrowed = replace(
                actor, agent="agt_x", scopes=(Scope(role=scope[1], **_scope(places[scope[0]])),), via=Via.MCP
            )
            inside = {p for p in everywhere if _within(p, scope[0])}
            kept = {p: min(roles[p], scope[1]) for p in inside if roles[p]}
            assert {p: looked_up(narrowed, places[p]) for p in kept} == kept
            assert {row.id for row in reads.below(narrowed).items} == {
                places[p].pk for p in kept if isinstance(places[p], Document)
            }
            assert seen >= {row.pk for row in Document.objects.visible_to(Reach(narrowed))}


@UNHURRIED
@given(world=worlds(), scope=st.none() | st.tuples(st.integers(0, 2 * len(FOLDERS) - 1), st.sampled_from(list(Role))))
def test_the_folders_listed_and_counted_are_those_of_the_model(
    places: list[Folder | Document], cast_people: list[Person], world: World, scope: tuple[int, Role] | None
) -> None:
    for _ in undone(world, places, cast_people):
        for n, person in enumerate(cast_people):
            actor = access.person_actor(person, via=Via.REST)
            roles = {place: world.role(n, place) for place in range(len(places))}
            if scope:
                scopes = (Scope(role=scope[1], **_scope(places[scope[0]])),)
                actor = replace(actor, agent="agt_x", scopes=scopes, via=Via.MCP)
                roles = {p: min(role, scope[1]) if _within(p, scope[0]) else 0 for p, role in roles.items()}
            seen = {FOLDERS[p]: roles[p] for p in roles if p < len(FOLDERS) and roles[p]}
            lying = [FOLDERS[p - len(FOLDERS)] for p in roles if p >= len(FOLDERS) and roles[p]]
            shown = {above for path in (*seen, *lying) for above in FOLDERS if f"{path}/".startswith(f"{above}/")}
            assert {node.location: int(node.role or 0) for node in tree.tree(actor)} == {
                path: seen.get(path, 0) for path in shown
            }
            for parent in (None, *FOLDERS):
                if parent and parent not in shown:
                    with pytest.raises(errors.NotFound):
                        tree.children(actor, parent=parent)
                    continue
                expected = [
                    (path, seen.get(path, 0), lying.count(path), sum(_parent(one) == path for one in seen))
                    for path in sorted(shown)
                    if _parent(path) == parent
                ]
                page = tree.children(actor, parent=parent, limit=1)
                found = list(page.items)
                while page.next_cursor:
                    page = tree.children(actor, parent=parent, limit=1, cursor=page.next_cursor)
                    found += page.items
                assert [(row.location, int(row.role or 0), row.documents, row.folders) for row in found] == expected


def _parent(path: str) -> str | None:
    return path.rpartition("/")[0] or None


def test_a_tree_granted_folder_by_folder_shows_what_lies_below_and_on_the_way(cast: Cast) -> None:
    """Many more folders than the planner has counted: that the whole tree is read then is not to show any more."""
    carol = cast.people["carol"]
    Grant.objects.filter(person=carol).delete()
    tops = _folders([(None, f"top{n}") for n in range(300)])
    inner = _folders([(top, "inner") for top in tops])
    below = _folders([(inner[0], "below")])
    bare = _folders([(tops[299], "bare")])
    Grant.objects.bulk_create([Grant(folder=one, person=carol, role=1) for one in inner])
    Grant.objects.create(folder=inner[0], group=_group_of(carol), role=2)
    Grant.objects.create(folder=inner[298], group=_group_of(carol), role=3)
    held = {one.path: 1 for one in inner} | {inner[0].path: 2, below[0].path: 2, inner[298].path: 3}
    nodes = tree.tree(access.person_actor(carol, via=Via.REST))
    assert {node.location: int(node.role or 0) for node in nodes} == held | {top.path: 0 for top in tops}
    assert bare[0].path not in {node.location for node in nodes}
    Grant.objects.filter(folder=inner[1]).delete()
    left = {node.location for node in tree.tree(access.person_actor(carol, via=Via.REST))}
    assert left == {node.location for node in nodes} - {inner[1].path, tops[1].path}


def _folders(places: list[tuple[Folder | None, str]]) -> list[Folder]:
    made = [
        Folder(parent=parent, name=name, twin_key=name, path=f"{parent.path}/{name}" if parent else name)
        for parent, name in places
    ]
    for folder in Folder.objects.bulk_create(made):
        folder.lineage = [*(folder.parent.lineage if folder.parent else ()), folder.pk]
    Folder.objects.bulk_update(made, ["lineage"])
    return made


def _group_of(person: Person) -> Group:
    group = Group.objects.create(name=f"group {Group.objects.count()}")
    Membership.objects.create(group=group, person=person)
    return group


def _scope(place: Folder | Document) -> dict[str, int | str]:
    return {"folder": place.pk} if isinstance(place, Folder) else {"document": place.pk}


def _within(place: int, scope: int) -> bool:
    """Whether a place is the scope's, or lies below its folder."""
    if scope >= len(FOLDERS):
        return place == scope
    return f"{FOLDERS[place % len(FOLDERS)]}/".startswith(f"{FOLDERS[scope]}/")


@UNHURRIED
@given(world=worlds())
def test_who_can_read_names_everybody_with_a_true_way(
    places: list[Folder | Document], cast_people: list[Person], world: World
) -> None:
    alice = replace(access.person_actor(cast_people[0], via=Via.REST), admin=True)
    for groups in undone(world, places, cast_people):
        numbers = {group.name: n for n, group in enumerate(groups)}
        for place in (0, 2, len(FOLDERS) + 2, len(FOLDERS) + 5):
            held = who_can.who(alice, location=location(places[place])).items
            expected = {
                person.email: world.role(n, place) for n, person in enumerate(cast_people) if world.role(n, place)
            }
            assert {one.email: int(one.role) for one in held} == expected
            near = people.near(alice, location=location(places[place])).items
            assert {row.email for row in near} == set(expected)
            for one in held:
                person = next(n for n, p in enumerate(cast_people) if p.email == one.email)
                assert int(one.role) == max(int(through.role) for through in one.through)
                for through in one.through:
                    if through.kind == "person":
                        assert (through.subject, through.chain) == (one.email, ())
                        continue
                    chain = [numbers[name] for name in through.chain]
                    assert through.subject == f"group:{through.chain[0]}"
                    assert all(pair in world.nestings for pair in pairwise(chain))
                    assert (chain[-1], person) in world.members


@UNHURRIED
@given(
    world=worlds(),
    place=st.integers(0, 2 * len(FOLDERS) - 1),
    subject=st.tuples(st.booleans(), st.integers(0, len(PEOPLE) - 1)),
    role=st.sampled_from([None, *Role]),
)
def test_a_change_is_foretold_as_it_comes(
    places: list[Folder | Document],
    cast_people: list[Person],
    world: World,
    place: int,
    subject: tuple[bool, int],
    role: Role | None,
) -> None:
    to_group, n = subject
    rest = tuple(grant for grant in world.grants if grant[:3] != (place, to_group, n))
    after = replace(world, grants=rest if role is None else (*rest, (place, to_group, n, int(role))))
    concerned = [p for p in range(len(PEOPLE)) if (n in world.groups_of(p) if to_group else p == n)]
    for groups in undone(world, places, cast_people):
        told = holders.changes(
            places[place],
            person=None if to_group else cast_people[n].pk,
            group=groups[n].pk if to_group else None,
            role=role,
        )
        expected = {cast_people[p].email: (world.role(p, place), after.role(p, place)) for p in concerned}
        assert {one.email: (one.before or 0, one.after or 0) for one in told} == expected


@UNHURRIED
@given(world=worlds())
def test_the_database_says_which_groups_somebody_is_in(
    places: list[Folder | Document], cast_people: list[Person], world: World
) -> None:
    for groups in undone(world, places, cast_people):
        for n, person in enumerate(cast_people):
            with connection.cursor() as cursor:
                cursor.execute("SELECT workspace_groups_of(%s)", [person.pk])
                assert sorted(cursor.fetchone()[0]) == sorted(groups[g].pk for g in world.groups_of(n))
