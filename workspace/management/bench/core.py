"""``bench core``: reads and writes against a bare view, growth with size, and many writers at once.

Runs in a workspace of its own (a temporary data folder), which the command made.
"""

import statistics
import time
import uuid
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.db import connection
from django.test.utils import CaptureQueriesContext

from workspace.access import person_actor
from workspace.actor import Actor, Via
from workspace.management.bench import rows
from workspace.management.bench.client import Client, server
from workspace.management.bench.figures import Figure, interleaved, ratio
from workspace.models import Commit, Document, Folder, Person
from workspace.queries import documents as reading
from workspace.queries import folders as tree
from workspace.services import agents, documents, integrity

ROUNDS = 200
PLACE = "bench/core"
TEXT = "# A document\n\n" + "Four kilobytes of prose, a sentence at a time. " * 86


def run(*, rounds: int = ROUNDS) -> list[Figure]:
    """All figures of the benchmark."""
    person = Person.objects.create_superuser("bench@example.org", None)
    owner = person_actor(person, via=Via.COMMAND)
    token = agents.create(owner, name="bench").token
    documents.create(owner, location=f"{PLACE}/read.md", content=TEXT)
    figures: list[Figure] = []
    with server() as port:
        figures += _requests(port, token, rounds)
        figures += _together(port, token)
    figures += _edits(owner)
    figures += _listing(owner)
    figures += _tree(owner)
    return figures


def _requests(port: int, token: str, rounds: int) -> list[Figure]:
    client = Client(port, token)
    writes = iter(range(10**9))

    def write() -> object:
        body = {"location": f"{PLACE}/w/{next(writes)}.md", "content": TEXT}
        return client.ok("POST", "/api/v1/documents", body, {"Idempotency-Key": str(uuid.uuid4())})

    def replace() -> object:
        etag = client.call("HEAD", f"/api/v1/documents/{PLACE}/edited.md")[1]["etag"]
        begun = time.perf_counter()
        body = {"content": TEXT + str(next(writes))}
        client.ok("PUT", f"/api/v1/documents/{PLACE}/edited.md", body, {"If-Match": etag})
        replaced.append(1000 * (time.perf_counter() - begun))
        return None

    replaced: list[float] = []
    client.ok(
        "POST",
        "/api/v1/documents",
        {"location": f"{PLACE}/edited.md", "content": TEXT},
        {"Idempotency-Key": str(uuid.uuid4())},
    )
    calls: dict[str, Callable[[], object]] = {
        "bare": lambda: client.call("GET", "/reference/bare"),
        "read": lambda: client.ok("GET", f"/api/v1/documents/{PLACE}/read.md"),
        "create": write,
        "replace": replace,
        "bare tool": lambda: client.tool("one_query", {}, path="/reference/mcp"),
        "read tool": lambda: client.tool("read", {"location": f"{PLACE}/read.md"}),
    }
    times = interleaved(calls, rounds=rounds)
    times["replace"] = replaced[-rounds:]
    bare, tool = (f"{statistics.median(times[name]):.1f} ms" for name in ("bare", "bare tool"))
    return [
        Figure(
            name="REST read, 4 KB", value=ratio(times, "read", "bare"), unit="x", bound=3, against=f"bare view {bare}"
        ),
        Figure(
            name="REST create, 4 KB",
            value=ratio(times, "create", "bare"),
            unit="x",
            bound=8,
            against=f"bare view {bare}",
        ),
        Figure(
            name="REST replace, 4 KB",
            value=ratio(times, "replace", "bare"),
            unit="x",
            bound=8,
            against=f"bare view {bare}",
        ),
        Figure(
            name="MCP read, 4 KB",
            value=ratio(times, "read tool", "bare tool"),
            unit="x",
            bound=2,
            against=f"bare tool {tool}",
        ),
    ]


def _together(port: int, token: str) -> list[Figure]:
    """16 appenders over REST and MCP, 16 replacers of sections from one stale base, 64 creators, one key 16 times."""
    client = Client(port, token)

    def create(name: str, content: str) -> str:
        body = {"location": f"{PLACE}/{name}", "content": content}
        answer = client.ok("POST", "/api/v1/documents", body, {"Idempotency-Key": str(uuid.uuid4())})
        return str(answer["commit"])

    def append(writer: int) -> int:
        mine, done = Client(port, token), 0
        for n in range(20):
            text = f"- writer {writer} line {n}"
            if writer % 2:
                result = mine.tool("doc_update", {"action": "append", "location": f"{PLACE}/log.md", "content": text})
                done += not result.get("isError")
            else:
                done += mine.call("PATCH", f"/api/v1/documents/{PLACE}/log.md", {"append": text})[0] == 200
        return done

    def replace(part: int) -> int:
        body = {"content": parts.replace(f"old {part}\n", f"new {part}\n"), "on_conflict": "merge"}
        status, _, _ = Client(port, token).call(
            "PUT", f"/api/v1/documents/{PLACE}/parts.md", body, {"If-Match": f'"{stale}"'}
        )
        return int(status == 200)

    def make(n: int) -> int:
        body = {"location": f"{PLACE}/many/{n}.md", "content": str(n)}
        status, _, _ = Client(port, token).call("POST", "/api/v1/documents", body, {"Idempotency-Key": f"many {n}"})
        return int(status == 201)

    def same(_: int) -> str:
        body = {"location": f"{PLACE}/same.md", "content": "same"}
        answer = Client(port, token).ok("POST", "/api/v1/documents", body, {"Idempotency-Key": "the same"})
        return f"{answer['id']} {answer['commit']} {answer['location']} {answer['parents']}"

    parts = "# Parts\n\n" + "\n".join(f"## Part {n}\n\nold {n}\n" for n in range(16))
    create("log.md", "# Log\n")
    stale = create("parts.md", parts)
    with ThreadPoolExecutor(64) as pool:
        appended = sum(pool.map(append, range(16)))
        replaced = sum(pool.map(replace, range(16)))
        made = sum(pool.map(make, range(64)))
        answers = set(pool.map(same, range(16)))
    client = Client(port, token)  # the other has been idle for too long to be kept
    lines = client.ok("GET", f"/api/v1/documents/{PLACE}/log.md")["content"].splitlines()[1:]
    text = client.ok("GET", f"/api/v1/documents/{PLACE}/parts.md")["content"]
    present = Document.objects.filter(folder__path=f"{PLACE}/many").count()
    once = Commit.objects.filter(document__name="same.md").count()
    broken = sum(1 for _ in integrity.faults())
    return [
        Figure(
            name="appends lost or doubled, of 320",
            value=abs(320 - len(set(lines))) + len(lines) - appended,
            unit="",
            bound=0,
        ),
        Figure(name="appends refused, of 320", value=320 - appended, unit="", bound=0),
        Figure(name="sections lost, of 16", value=16 - min(replaced, text.count("new ")), unit="", bound=0),
        Figure(name="creates lost, of 64", value=64 - min(made, present), unit="", bound=0),
        Figure(name="answers to one key", value=len(answers), unit="", bound=1),
        Figure(name="commits by one key", value=once, unit="", bound=1),
        Figure(name="faults found by verify", value=broken, unit="", bound=0),
    ]


def _edits(owner: Actor) -> list[Figure]:
    few = documents.create(owner, location=f"{PLACE}/few.md", content=TEXT).document
    many = documents.create(owner, location=f"{PLACE}/many.md", content=TEXT).document
    rows.lengthen(many, 10_000)
    rows.lengthen(few, 10)
    count = iter(range(10**9))

    def edit(name: str) -> Callable[[], object]:
        return lambda: documents.append(owner, location=f"{PLACE}/{name}.md", content=f"{next(count)}")

    times = interleaved({"few": edit("few"), "many": edit("many")}, rounds=60)
    against = f"10 commits {statistics.median(times['few']):.1f} ms"
    return [
        Figure(
            name="edit among 10,000 commits", value=ratio(times, "many", "few"), unit="x", bound=1.2, against=against
        )
    ]


def _listing(owner: Actor) -> list[Figure]:
    """One folder of 100 documents listed by an ordinary reader, among 1,000 documents and then among 100,000."""
    reader = Person.objects.create_user("reader@example.org")
    documents.create(owner, location="many/listed/first.md", content=TEXT)
    listed = Folder.objects.get(path="many/listed")
    rows.fill(listed, 99, owner)
    listed.grants.create(person=reader, role=1)
    actor = person_actor(reader, via=Via.REST)
    documents.create(owner, location="many/rest/first.md", content=TEXT)
    documents.create(owner, location="many/more/first.md", content=TEXT)
    rest = Folder.objects.get(path="many/rest")

    def listing() -> object:
        return reading.children(actor, location="many/listed", limit=100)

    rows.fill(rest, 900, owner)
    _analyse()
    from_small = interleaved({"listing": listing}, rounds=60)["listing"]
    rows.fill(Folder.objects.get(path="many/more"), 99_000, owner)
    _analyse()
    from_large = interleaved({"listing": listing}, rounds=60)["listing"]
    small, large = statistics.median(from_small), statistics.median(from_large)
    return [
        Figure(
            name="list 100 among 100,000 documents",
            value=large / small,
            unit="x",
            bound=1.5,
            against=f"among 1,000 {small:.1f} ms",
        )
    ]


def _tree(owner: Actor) -> list[Figure]:
    """The whole tree of 2,000 folders, for somebody who was granted its root."""
    top = Folder.objects.get(path="bench")
    made: list[Folder] = [top]
    for n in range(2000):
        parent = made[n // 8]
        folder = Folder.objects.create(
            parent=parent, name=f"f{n}", twin_key=f"f{n}", path=f"{parent.path}/f{n}", created_by_id=owner.person
        )
        folder.lineage = [*parent.lineage, folder.pk]
        made.append(folder)
    Folder.objects.bulk_update(made, ["lineage"], batch_size=500)
    reader = Person.objects.get(email="reader@example.org")
    top.grants.create(person=reader, role=1)
    _analyse()
    actor = person_actor(reader, via=Via.WEB)
    times = interleaved({"tree": lambda: tree.tree(actor)}, rounds=20)["tree"]
    with CaptureQueriesContext(connection) as queries:
        tree.tree(actor)
    return [
        Figure(name="tree of 2,000 folders", value=statistics.median(times), unit="ms", bound=150),
        Figure(name="queries for the tree", value=len(queries), unit="", bound=3),
    ]


def _analyse() -> None:
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
