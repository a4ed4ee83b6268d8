"""Bad input, one table, on every surface that it can reach: the code, the field that is named, and nothing changed."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from tests.cast import Cast
from tests.parity import rows
from tests.parity.conftest import Act
from tests.parity.outcomes import Ok, Outcome, Refusal, refusal
from tests.parity.surfaces import Mcp, Rest, Surface, Unsupported, Web
from workspace.models import Document
from workspace.services import documents

PLACE = "product/launch"
LOCATION = f"{PLACE}/plan.md"
MIB = 1024 * 1024
UNKNOWN = "0123456789abcdef" * 4


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Who acts, upon what: ``first`` is the plan's only commit, ``other`` the commit of another document."""

    surface: Surface
    first: str
    other: str


LACKING: dict[str, set[str]] = {"rest": set(), "mcp": set(), "web": {"capture", "reject"}}
"""What each surface has no verb for."""


@pytest.fixture
def setting(cast: Cast, plan: str, act: Act) -> Setting:
    other = documents.create(cast.alice, location=f"{PLACE}/other.md", content="other\n").commit
    return Setting(surface=act("bob"), first=plan, other=other)


type Try = Callable[[Setting], Outcome]


def creates(name: str) -> Try:
    return lambda s: s.surface.create(f"{PLACE}/{name}", "x")


def moves_to(name: str) -> Try:
    return lambda s: s.surface.move(LOCATION, f"{PLACE}/{name}", base=s.first)


def replaces(content: str) -> Try:
    return lambda s: s.surface.replace(LOCATION, content, base=s.first)


def upon(commit: str) -> dict[str, Try]:
    """Every call that takes a commit, with one that is wrong."""
    return {
        "replace": lambda s: s.surface.replace(LOCATION, "x", base=commit.format(s=s)),
        "move": lambda s: s.surface.move(LOCATION, f"{PLACE}/moved.md", base=commit.format(s=s)),
        "restore": lambda s: s.surface.restore(LOCATION, s.first, base=commit.format(s=s)),
    }


BAD_NAMES = {
    "an empty name": "",
    "a doubled slash": "a//b.md",
    "dot": "./b.md",
    "dot dot": "../../x.md",
    "a line break": "a\nb.md",
    "a tab": "a\tb.md",
    "delete": "a\x7fb.md",
    "a line separator": "a\u2028b.md",
    "a space before": " a.md",
    "201 characters": "x" * 201,
    "201 after NFC": "e\u0301" * 201,
    "33 levels": "a/" * 31 + "b",
}

CASES: dict[str, tuple[Try, Refusal]] = {
    **{f"create: {why}": (creates(name), refusal("INVALID", "location")) for why, name in BAD_NAMES.items()},
    **{f"move: {why}": (moves_to(name), refusal("INVALID", "to")) for why, name in BAD_NAMES.items()},
    "create at the top": (lambda s: s.surface.create("top.md", "x"), refusal("INVALID", "location")),
    "move to the top": (lambda s: s.surface.move(LOCATION, "top.md"), refusal("INVALID", "to")),
    "create: its own name": (creates("plan.md"), refusal("ALREADY_EXISTS")),
    "create: a twin by case": (creates("PLAN.md"), refusal("ALREADY_EXISTS")),
    "create: a twin by width": (creates("ｐlan.md"), refusal("ALREADY_EXISTS")),
    "create: below a document": (creates("plan.md/x.md"), refusal("ALREADY_EXISTS")),
    "create: below a document's twin": (creates("Plan.MD/x.md"), refusal("ALREADY_EXISTS")),
    "move: a twin by case": (moves_to("OTHER.md"), refusal("ALREADY_EXISTS")),
    "folder: a document's name": (lambda s: s.surface.folder(LOCATION), refusal("ALREADY_EXISTS")),
    "folder: a document's twin": (lambda s: s.surface.folder(f"{PLACE}/Plan.md"), refusal("ALREADY_EXISTS")),
    "create: NUL": (lambda s: s.surface.create(f"{PLACE}/n.md", "a\0b"), refusal("INVALID", "content")),
    "create: NUL in the name": (creates("a\0b.md"), refusal("INVALID", "location")),
    "replace: NUL": (replaces("a\0b"), refusal("INVALID", "content")),
    "create: a byte too many": (
        lambda s: s.surface.create(f"{PLACE}/big.md", "é" * (MIB // 2) + "x"), refusal("TOO_LARGE", "content"),
    ),
    "replace: a byte too many": (replaces("x" * (MIB + 1)), refusal("TOO_LARGE", "content")),
    "append: a byte too many": (lambda s: s.surface.append(LOCATION, "x" * MIB), refusal("TOO_LARGE", "content")),
    "edit: a byte too many": (
        lambda s: s.surface.edit(LOCATION, "slow", "x" * MIB, base=s.first), refusal("TOO_LARGE", "content"),
    ),
    "section: a byte too many": (
        lambda s: s.surface.section(LOCATION, "Risks", "x" * MIB), refusal("TOO_LARGE", "content"),
    ),
    "capture: 16 KiB and a byte": (
        lambda s: s.surface.capture(PLACE, "x" * (16 * 1024 + 1), key="k"), refusal("TOO_LARGE", "content"),
    ),
    "capture: nothing": (lambda s: s.surface.capture(PLACE, " ", key="k"), refusal("INVALID", "content")),
    "capture: NUL": (lambda s: s.surface.capture(PLACE, "a\0", key="k"), refusal("INVALID", "content")),
    "capture: a key of 256": (
        lambda s: s.surface.capture(PLACE, "x", key="k" * 256), refusal("INVALID", "idempotency_key"),
    ),
    "replace: no base": (
        lambda s: s.surface.replace(LOCATION, "x", base=None), refusal("PRECONDITION_REQUIRED"),
    ),
    **{
        f"{verb}: the commit is {what}": (call, refusal("INVALID", "expected_commit"))
        for what, commit in {
            "another document's": "{s.other}", "unknown": UNKNOWN, "unknown, abbreviated": UNKNOWN[:12],
            "too short": "{s.first:.6}", "no hex": "z" * 64, "in capitals": "ABCDEF0123",
        }.items()
        for verb, call in upon(commit).items()
    },
    "restore: another document's commit": (
        lambda s: s.surface.restore(LOCATION, s.other), refusal("INVALID", "commit"),
    ),
    "restore: an unknown commit": (lambda s: s.surface.restore(LOCATION, UNKNOWN), refusal("INVALID", "commit")),
    "create: a key of 256": (
        lambda s: s.surface.create(f"{PLACE}/k.md", "x", key="k" * 256), refusal("INVALID", "idempotency_key"),
    ),
    "replace: a key of 256": (
        lambda s: s.surface.replace(LOCATION, "x", base=s.first, key="k" * 256), refusal("INVALID", "idempotency_key"),
    ),
    "share: nobody": (
        lambda s: s.surface.share(PLACE, "no@example.org", "viewer"), refusal("INVALID", "subject"),
    ),
    "share: NUL": (lambda s: s.surface.share(PLACE, "a\0@example.org", "viewer"), refusal("INVALID", "subject")),
    "share: no role": (lambda s: s.surface.share(PLACE, "carol@example.org", "owner"), refusal("INVALID", "role")),
    "share: above one's own": (
        lambda s: s.surface.share(PLACE, "carol@example.org", "manager"), refusal("FORBIDDEN"),
    ),
    "search: NUL": (lambda s: s.surface.search("a\0b"), refusal("INVALID", "query")),
    "list: a cursor of another hand": (
        lambda s: s.surface.list(PLACE, cursor="eyJhIjoxfQ:1abc:xyz"), refusal("INVALID", "cursor"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_it_is_refused_by_name_and_nothing_changes(setting: Setting, case: str) -> None:
    call, expected = CASES[case]
    before = rows.state()
    try:
        outcome = call(setting)
    except Unsupported as lacking:
        # What a surface does not offer cannot be sent to it: only these, so that a verb that is lost shows.
        if str(lacking) not in LACKING[setting.surface.name]:
            raise
        return
    if expected.code == "PRECONDITION_REQUIRED":
        assert isinstance(outcome, Refusal)
        assert outcome.code == expected.code
    else:
        assert outcome == expected
    assert rows.state() == before


@pytest.mark.parametrize("length", [7, 12, 63, 64])
def test_an_abbreviated_commit_is_that_commit(setting: Setting, length: int) -> None:
    outcome = setting.surface.replace(LOCATION, "x\n", base=setting.first[:length])
    assert isinstance(outcome, Ok)
    assert outcome.outcome == "saved"
    assert setting.surface.restore(LOCATION, setting.first[:length]) == Ok(
        outcome="saved", commit=rows.living(PLACE, "plan.md").head_id
    )


def test_a_key_with_another_body_is_refused_or_is_another_request(setting: Setting) -> None:
    one = setting.surface
    assert isinstance(one.replace(LOCATION, "one\n", base=setting.first, key="k"), Ok)
    base, before = rows.living(PLACE, "plan.md").head_id, rows.state()
    outcome = one.replace(LOCATION, "two\n", base=base, key="k")
    if isinstance(one, Web):
        # A form that came back with an error is sent again with its key and other text.
        assert isinstance(outcome, Ok)
        return
    assert outcome == refusal("IDEMPOTENCY_MISMATCH")
    assert one.append(LOCATION, "x", key="k2") == Ok(outcome="saved", commit=rows.living(PLACE, "plan.md").head_id)
    assert one.append(LOCATION, "y", key="k2") == refusal("IDEMPOTENCY_MISMATCH")
    assert isinstance(one.create(f"{PLACE}/k.md", "x", key="k"), Ok)
    assert one.create(f"{PLACE}/k2.md", "x", key="k") == refusal("IDEMPOTENCY_MISMATCH")
    assert len(rows.state()[1]) == len(before[1]) + 1


def test_a_folder_cannot_be_moved_into_itself(cast: Cast, plan: str, act: Act) -> None:
    alice, before = act("alice"), rows.state()
    for target in (f"{PLACE}/inside", f"{PLACE}/a/b/c"):
        assert alice.move(PLACE, target) == refusal("INVALID", "to")
    assert alice.move("product", "product/launch/product") == refusal("INVALID", "to")
    assert rows.state() == before


def test_the_last_manager_cannot_leave(cast: Cast, act: Act) -> None:
    alice, before = act("alice"), rows.state()
    try:
        assert alice.unshare("product", "alice@example.org") == refusal("FORBIDDEN")
        assert alice.share("product", "alice@example.org", "viewer") == refusal("FORBIDDEN")
    except Unsupported as lacking:
        if str(lacking) not in LACKING[alice.name]:
            raise
    assert rows.state() == before


def test_what_was_recreated_at_the_same_place_is_another_document(setting: Setting, cast: Cast) -> None:
    one = setting.surface
    assert isinstance(one.delete(LOCATION, one.deciding(LOCATION)), Ok)
    assert one.replace(LOCATION, "x", base=setting.first) == refusal("GONE")
    assert one.read(LOCATION) == refusal("GONE")
    assert isinstance(one.create(LOCATION, "again\n"), Ok)
    assert Document.objects.filter(name="plan.md").count() == 2
    before = rows.state()
    assert one.replace(LOCATION, "x", base=setting.first) == refusal("INVALID", "expected_commit")
    assert one.restore(LOCATION, setting.first) == refusal("INVALID", "commit")
    assert one.undelete(LOCATION) == refusal("ALREADY_EXISTS")
    assert rows.state() == before
    read = one.read(LOCATION)
    assert isinstance(read, Ok)
    assert read.value == "again\n"


def test_a_deleted_document_is_gone_for_every_verb(setting: Setting) -> None:
    one = setting.surface
    decision = one.deciding(LOCATION)
    assert isinstance(one.delete(LOCATION, decision), Ok)
    before = rows.state()
    gone = refusal("GONE")
    assert one.move(LOCATION, f"{PLACE}/x.md", base=setting.first) == gone
    assert one.restore(LOCATION, setting.first) == gone
    assert one.edit(LOCATION, "slow", "x", base=setting.first) == gone
    assert one.append(LOCATION, "x") == gone
    assert one.section(LOCATION, "Risks", "x") == gone
    assert one.delete(LOCATION, decision, key="another") == gone
    assert rows.state() == before


@pytest.mark.parametrize("person", ["carol", "mallory"])
def test_who_may_not_write_is_refused_alike(setting: Setting, cast: Cast, act: Act, person: str) -> None:
    one, before = act(person), rows.state()
    code = refusal("FORBIDDEN" if person == "carol" else "NOT_FOUND")
    assert one.create(f"{PLACE}/x.md", "x") == code
    assert one.replace(LOCATION, "x", base=setting.first) == code
    assert one.edit(LOCATION, "slow", "x", base=setting.first) == code
    assert one.append(LOCATION, "x") == code
    assert one.move(LOCATION, f"{PLACE}/x.md", base=setting.first) == code
    assert one.undelete(LOCATION) == code
    assert one.restore(LOCATION, setting.first) == code
    assert one.folder(f"{PLACE}/x") == code
    assert rows.state() == before


# -- what only the wire can carry --


def test_a_lone_surrogate_is_no_text(cast: Cast, plan: str) -> None:
    before = rows.state()
    for one in (Rest(cast, "bob"), Mcp(cast, "bob")):
        counted = rows.state()
        assert one.create(f"{PLACE}/s.md", "a\ud800b") == refusal("INVALID", "content")
        assert one.create(f"{PLACE}/\udfff.md", "x") == refusal("INVALID", "location")
        assert one.replace(LOCATION, "\ud83d", base=plan) == refusal("INVALID", "content")
        assert one.capture(PLACE, "\ud800", key="k") == refusal("INVALID", "content")
        assert rows.state() == counted
    assert rows.state()[1] == before[1]


@pytest.mark.parametrize("bad", [b"%FF", b"%C3", b"%ED%A0%80", b"\xff", b"%C0%80"])
def test_a_form_that_is_not_utf_8_is_refused(cast: Cast, plan: str, bad: bytes) -> None:
    bob, before = Web(cast, "bob"), rows.state()
    sent = b"key=k&message=&base=" + plan.encode() + b"&content=a" + bad + b"b"
    assert bob.outcome(bob.post_raw(f"/edit/{LOCATION}", sent)) == refusal("INVALID", "content")
    sent = b"key=k&content=x&location=product/launch/" + bad
    assert bob.outcome(bob.post_raw(f"/new/document/{PLACE}", sent)) == refusal("INVALID", "location")
    assert rows.state() == before


def test_a_replacement_character_that_was_sent_is_text(cast: Cast, plan: str) -> None:
    bob = Web(cast, "bob")
    assert isinstance(bob.replace(LOCATION, "a\ufffdb\n", base=plan), Ok)
    assert rows.living(PLACE, "plan.md").head.blob.content == "a\ufffdb\n"


@pytest.mark.parametrize(
    "address",
    [
        "/conflicts/a%00b", "/captures/a%00b", f"/d/{PLACE}/a%00b.md", f"/d/{LOCATION}?at=%00", "/search?q=a%00b",
        "/search?q=a&location=a%00", "/palette?q=a%00b", f"/diff/{LOCATION}?from=%00&to=%00", "/jobs?cursor=%00",
        "/captures?folder=%00", "/captures?cursor=%00", "/conflicts?cursor=x", f"/history/{LOCATION}?cursor=x",
        f"/newer/{LOCATION}?than=%00", f"/blame/{LOCATION}?at=zz", "/f/a%00b", "/tree/a%00b", "/new/folder?in=a%00b",
        f"/raw/{LOCATION}?at=%FF", "/f/%FF", f"/f/{PLACE}?cursor=%00", f"/share/{PLACE}%00",
        f"/move/{'x/' * 40}", f"/d/{'x' * 201}/a.md",
    ],
)  # fmt: skip
def test_no_address_breaks_a_page(cast: Cast, plan: str, address: str) -> None:
    response = Web(cast, "bob").client.get(address)
    assert response.status_code in (200, 204, 404, 422), address


NUL_IDS = ["agents/a%00b/revoke", "jobs/a%00b/retry", "conflicts/a%00/discard", "conflicts/a%00"]


@pytest.mark.parametrize("path", NUL_IDS)
def test_no_id_breaks_a_form(cast: Cast, plan: str, path: str) -> None:
    assert Web(cast, "bob").client.post(f"/{path}").status_code == 404
