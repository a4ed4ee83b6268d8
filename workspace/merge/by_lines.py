"""What becomes of a region that both sides changed differently, where only lines are compared."""

from workspace.merge.hunks import Agreed, Chunk, Disputed, Hunk, Kind, LineRange
from workspace.merge.lines import Lines
from workspace.merge.regions import Region


def settle(region: Region, base: Lines, head: Lines, incoming: Lines, path: tuple[str, ...]) -> list[Chunk]:
    """Chunks for a disputed region, in order.

    Where both sides inserted, the lines that both start or end with are agreed; where the base has lines
    here, the region stays whole, so that a hunk's base is what both its sides were made from.
    """
    first, second = head.keys[region.head], incoming.keys[region.incoming]
    before = after = 0
    if region.base.start == region.base.stop:
        shorter = min(len(first), len(second))
        while before < shorter and first[before] == second[before]:
            before += 1
        while after < shorter - before and first[-1 - after] == second[-1 - after]:
            after += 1
    theirs = slice(region.head.start + before, region.head.stop - after)
    mine = slice(region.incoming.start + before, region.incoming.stop - after)
    hunk = Hunk(
        kind=_kind(region),
        base="".join(base.kept[region.base]),
        theirs="".join(head.kept[theirs]),
        mine="".join(incoming.kept[mine]),
        heading=path[-1] if path else None,
        path=path,
        base_lines=_range(region.base),
        theirs_lines=_range(theirs),
        mine_lines=_range(mine),
    )
    chunks: list[Chunk] = []
    if before:
        chunks.append(Agreed("".join(head.kept[region.head.start : theirs.start])))
    chunks.append(Disputed(hunk))
    if after:
        chunks.append(Agreed("".join(head.kept[theirs.stop : region.head.stop])))
    return chunks


def _kind(region: Region) -> Kind:
    if region.base.start == region.base.stop:
        return "insert/insert"
    if region.head.start == region.head.stop or region.incoming.start == region.incoming.stop:
        return "delete/modify"
    return "modify/modify"


def _range(lines: slice) -> LineRange:
    return (lines.start + 1, lines.stop) if lines.start < lines.stop else None
