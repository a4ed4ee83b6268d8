"""``search``: passages with their place, author and age."""

from typing import Annotated, Any, Literal, TypedDict

from pydantic import Field

from workspace import locations
from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.mcp import bounds, shapes
from workspace.mcp.arguments import Arguments, naming
from workspace.mcp.fence import counted, fenced, one_line
from workspace.mcp.times import age, iso, stamp
from workspace.mcp.tool import Answer, Tool
from workspace.queries import citations
from workspace.queries import search as queries
from workspace.queries.search import Hit


class Search(Arguments):
    query: Annotated[str, Field(min_length=1, max_length=1000, description="Words, a phrase or a question.")]
    scope: Annotated[str, Field(description="Only below this folder.")] | None = None
    within: Annotated[str, Field(description="Only in this document, or below this folder of scope.")] | None = None
    how: Annotated[
        Literal["auto", "text", "titles", "meaning"],
        Field(description="auto mixes; text: these words; titles: names and titles; meaning: similar sense."),
    ] = "auto"
    limit: Annotated[int, Field(ge=1, le=bounds.PAGE_MOST)] = 10


class HitItem(TypedDict):
    location: str
    id: str
    title: str
    heading: str
    snippet: str
    lines: list[int] | None
    citation: str
    commit: str
    author: shapes.Author
    committed_at: str
    age: str
    indexed_at: str | None
    stale: bool
    superseded_by: str | None
    score: float
    web_url: str


class HitList(TypedDict):
    """Best first. ``stale``: the document has changed since it was indexed."""

    hits: list[HitItem]
    shown: int
    left_out: int


def search(actor: Actor, given: Search) -> Answer:
    with naming(q="query", mode="how", location="scope" if given.within is None else "within"):
        found = queries.search(actor, q=given.query, mode=given.how, location=_place(given), limit=given.limit)
    rows = [_hit(hit) for hit in found]
    shown = rows[: bounds.fitting(rows)]
    left_out = len(rows) - len(shown)
    if not shown:
        text = "Nothing that you can see matches. Try other words, or how titles."
    else:
        text = fenced(
            "\n\n".join(_text(row, hit) for row, hit in zip(shown, found, strict=False)),
            source=f"{counted(len(shown), 'passage')}, best first",
        )
        text += "\nTo read more of one: " + shapes.call("read", location=shown[0]["location"], at=shown[0]["commit"])
    if left_out:
        text += f"\n{left_out} more did not fit: narrow the query, or set scope."
    return Answer(text=text, data={"hits": shown, "shown": len(shown), "left_out": left_out})


def _place(given: Search) -> str | None:
    """The narrower of ``scope`` and ``within``; one must lie in the other where both are given."""
    if given.scope is None or given.within is None:
        return given.scope or given.within
    outer = locations.split(given.scope, field="scope")
    inner = locations.split(given.within, field="within")
    if inner[: len(outer)] != outer:
        raise Invalid("within", "does not lie below scope. Leave one of them out.")
    return given.within


def _hit(hit: Hit) -> dict[str, Any]:
    return {
        "location": hit.location,
        "id": hit.id,
        "title": hit.title,
        "heading": hit.heading,
        "snippet": bounds.cut(hit.snippet, 1_000).text,
        "lines": list(hit.lines) if hit.lines else None,
        "citation": hit.citation,
        "commit": hit.commit,
        "author": shapes.author(hit.author),
        "committed_at": iso(hit.committed_at),
        "age": age(hit.committed_at),
        "indexed_at": iso(hit.indexed_at) if hit.indexed_at else None,
        "stale": hit.stale,
        "superseded_by": hit.superseded_by,
        "score": round(hit.score, 4),
        "web_url": citations.web_url(hit.location, at=hit.commit, lines=hit.lines),
    }


def _text(row: dict[str, Any], hit: Hit) -> str:
    under = f" › {one_line(row['heading'])}" if row["heading"] else ""
    marks = "; the document has changed since it was indexed" if row["stale"] else ""
    if row["superseded_by"]:
        marks += f"; superseded by {one_line(row['superseded_by'])}"
    return (
        f"{row['citation']}  {one_line(row['title'])}{under}\n"
        f"by {shapes.by(hit.author)}, {stamp(hit.committed_at)}{marks}\n{row['snippet']}"
    )


TOOL = Tool(
    name="search",
    title="Search documents",
    description=(
        "Finds passages in the documents that you may read, best first, each with its citation "
        "(location@commit#lines), author and age."
    ),
    arguments=Search,
    shapes=(HitList,),
    quotes=True,
    run=search,
)
