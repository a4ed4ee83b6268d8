"""BM25 over the passages that an actor may read, and nothing else: no frequency is counted outside them.

PostgreSQL finds and counts, in two statements; the scores are made here. Every figure that goes into a score comes
from documents inside ``within``, a queryset that was filtered by what the actor may read.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from django.db import connection
from django.db.models import QuerySet

from workspace.markdown.terms import MAX_LENGTH
from workspace.models import Document
from workspace.models.chunks import MOST_POSITIONS, quoted, title_term

K1 = 1.2
B = 0.75
MOST_TERMS = 32
"""Terms of a query that are looked at; of these the rarest ``SCORED_TERMS`` count."""
SCORED_TERMS = 16
TITLE_TERMS = 8
SAMPLE = 128
SAMPLE_PASSAGES = 8
"""Frequencies of common terms are those in the first passages of this many documents, chosen by hash."""
CANDIDATES = 3000
SCORED = 400
PREVIOUS, NEXT = 0.25, 0.15
TITLE = 1.0

# Rank of one lexeme with weight 0.1 that stands n times: 0.1 * (1 + 1/4 + … + 1/n²) / 1.64493406685 (PostgreSQL's
# calc_rank_or). It is strictly increasing, so the frequency can be read off it.
_RANKS = [0.0, *accumulate(0.1 / 1.64493406685 / (n * n) for n in range(1, MOST_POSITIONS + 1))]


@dataclass(frozen=True, kw_only=True)
class Statistics:
    """What the readable documents are like. ``share`` of passages that hold each term, as sampled."""

    documents: int
    passages: int
    indexed: int
    """Passages of the whole index, roughly. It decides how rows are found, never what they score."""
    passage_length: float
    document_size: float
    share: Mapping[str, float]
    unindexed: tuple[str, ...]
    """Documents, newest first, whose head is not in the index yet."""


@dataclass(slots=True, kw_only=True)
class Candidate:
    """A passage with its score. ``title`` says that the document's title or name matched."""

    chunk: int
    document: str
    ordinal: int
    length: int
    frequencies: tuple[int, ...]
    titled: float = 0.0
    text: float = 0.0
    score: float = field(default=0.0)


def statistics(within: QuerySet[Document], terms: Sequence[str]) -> Statistics:
    """Counts of the documents in ``within`` and, by a sample that is the same each time, of their terms."""
    columns = ("pk", "head_id", "indexed_commit_id", "updated_at")
    seen, parameters = within.order_by().values(*columns).query.sql_with_params()
    counts = "".join(", count(*) FILTER (WHERE c.terms @@ %s::tsquery)" for _ in terms)
    statement = f"""
        WITH seen AS MATERIALIZED ({seen}),
        sampled AS (SELECT pk, head_id FROM seen ORDER BY hashtextextended(pk, 0) LIMIT {SAMPLE})
        SELECT (SELECT count(*) FROM seen),
            (SELECT avg(size) FROM sampled s JOIN {_table("commit")} m ON m.id = s.head_id
                JOIN {_table("blob")} b ON b.hash = m.blob_id),
            (SELECT avg(passages) FROM sampled s CROSS JOIN LATERAL
                (SELECT count(*) AS passages FROM {_table("chunk")} WHERE document_id = s.pk) AS p),
            (SELECT reltuples FROM pg_class WHERE oid = '{_table("chunk")}'::regclass),
            ARRAY(SELECT pk FROM seen WHERE head_id IS DISTINCT FROM indexed_commit_id
                ORDER BY updated_at DESC LIMIT 300),
            count(c.length), avg(c.length){counts}
        FROM sampled s CROSS JOIN LATERAL (SELECT terms, length FROM {_table("chunk")} c
            WHERE c.document_id = s.pk AND c.ordinal < {SAMPLE_PASSAGES}) AS c"""
    with connection.cursor() as cursor:
        cursor.execute(statement, [*parameters, *map(quoted, terms)])
        documents, size, per_document, indexed, unindexed, sampled, length, *held = cursor.fetchone()
    return Statistics(
        documents=documents,
        passages=round(documents * float(per_document or 0)),
        indexed=max(0, round(indexed)),
        passage_length=float(length or 1),
        document_size=float(size or 1),
        share={term: count / sampled if sampled else 0.0 for term, count in zip(terms, held, strict=True)},
        unindexed=tuple(unindexed),
    )


def _table(name: str) -> str:
    return connection.ops.quote_name(Document._meta.apps.get_model("workspace", name)._meta.db_table)


def candidates(
    within: QuerySet[Document],
    statistics: Statistics,
    terms: Sequence[str],
    *,
    text: bool,
    titles: bool,
    prefix: str = "",
) -> list[Candidate]:
    """Passages that hold some of ``terms``, best first. ``prefix`` is the beginning of a title's term, as of a
    word that is still being typed."""
    rarest = sorted(terms, key=lambda term: statistics.share[term])[:SCORED_TERMS]
    named = [quoted(title_term(term)) for term in rarest[:TITLE_TERMS]] if titles else []
    if titles and prefix:
        # Terms are cut at this length, and PostgreSQL refuses a longer lexeme than 2 KB.
        named.append(f"{quoted(title_term(prefix[:MAX_LENGTH]))}:*")
    chosen = _choose(rarest, statistics) if text else []
    wanted = [" | ".join([*map(quoted, chosen), *named])]
    if chosen and statistics.share[chosen[0]] * statistics.passages > CANDIDATES and len(rarest) > 1:
        # Even the rarest is everywhere: passages that hold all of the terms come first.
        wanted.insert(0, " & ".join(map(quoted, rarest)))
    found: dict[int, Candidate] = {}
    held: list[int] = [0] * len(rarest)
    share = sum(statistics.share[term] for term in chosen)
    # The index holds everybody's passages: who reads few of them is better served document by document.
    direct = statistics.passages < max(2_000, share * statistics.indexed)
    for query in wanted:
        rows, counts = _match(within, statistics, query, rarest, named, direct=direct)
        found |= {row.chunk: row for row in rows}
        held = counts
        if len(found) >= SCORED // 4:
            break
    shares = {term: max(statistics.share[term], held[i] / max(statistics.passages, 1)) for i, term in enumerate(rarest)}
    return _score(list(found.values()), statistics, [_idf(shares[t], statistics) for t in rarest], text=text)


def _choose(rarest: Sequence[str], statistics: Statistics) -> list[str]:
    """The rarest terms, as many as bring no more than ``CANDIDATES`` passages, and at least one."""
    chosen: list[str] = []
    expected = 0.0
    for term in rarest:
        expected += statistics.share[term] * statistics.passages
        if chosen and expected > CANDIDATES:
            break
        chosen.append(term)
    return chosen


def _idf(share: float, statistics: Statistics) -> float:
    least = 0.5 / max(statistics.passages, 1)
    share = min(max(share, least), 1.0)
    return math.log(1 + (1 - share + least) / (share + least))


def _match(
    within: QuerySet[Document],
    statistics: Statistics,
    query: str,
    terms: Sequence[str],
    named: Sequence[str],
    *,
    direct: bool,
) -> tuple[list[Candidate], list[int]]:
    """Up to ``SCORED`` passages that match ``query``, by a rough score, and how many hold each of ``terms``;
    found through the documents (``direct``) or through the index."""
    seen, parameters = within.order_by().values("pk").query.sql_with_params()
    ranks = ", ".join("ts_rank(c.terms, %s::tsquery)" for _ in terms)
    titled = ", ".join("(c.terms @@ %s::tsquery)::int" for _ in named)
    columns = f"""c.id, c.document_id, c.ordinal, c.length, ARRAY[{ranks}]::real[] AS ranks,
        CASE c.ordinal WHEN 0 THEN ARRAY[{titled}]::int[] END AS titled"""
    matching = [*map(quoted, terms), *named, query]
    if direct:
        matched = f"""SELECT c.* FROM ({seen}) AS s CROSS JOIN LATERAL (SELECT {columns} FROM {_table("chunk")} c
            WHERE c.document_id = s.pk AND c.terms @@ %s::tsquery OFFSET 0) AS c LIMIT {CANDIDATES}"""
        values = [*parameters, *matching]
    else:
        matched = f"""SELECT {columns} FROM {_table("chunk")} c
            WHERE c.terms @@ %s::tsquery AND c.document_id IN ({seen}) LIMIT {CANDIDATES}"""
        values = [*matching, *parameters]
    weights = [_idf(statistics.share[term], statistics) for term in terms]
    rough = " + ".join(f"ranks[{i}] * {weight:.4f}" for i, weight in enumerate(weights, 1))
    counts = ", ".join(f"count(*) FILTER (WHERE ranks[{i}] > 0)" for i in range(1, len(terms) + 1))
    statement = f"""
        WITH matched AS MATERIALIZED ({matched})
        SELECT NULL, NULL, NULL, NULL, NULL, NULL, ARRAY[{counts}]::int[] FROM matched
        UNION ALL
        (SELECT id, document_id, ordinal, length, ranks, titled, NULL FROM matched
            ORDER BY {rough} + coalesce((SELECT sum(t) FROM unnest(titled) t), 0) DESC, id LIMIT {SCORED})"""
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows = cursor.fetchall()
    counted = next(row[-1] for row in rows if row[-1] is not None)
    return [
        Candidate(
            chunk=chunk,
            document=document,
            ordinal=ordinal,
            length=length,
            frequencies=tuple(_frequency(rank) for rank in ranks),
            titled=_titled(titles, weights, len(terms)) if titles else 0.0,
        )
        for chunk, document, ordinal, length, ranks, titles, count in rows
        if count is None
    ], counted


def _frequency(rank: float) -> int:
    """How often a lexeme stands in a passage, from its rank."""
    if rank <= 0:
        return 0
    low = 1
    while low < MOST_POSITIONS and rank > (_RANKS[low] + _RANKS[low + 1]) / 2:
        low += 1
    return low


def _titled(matches: Sequence[int], weights: Sequence[float], terms: int) -> float:
    """The part of the query's weight that the title holds; a prefix counts as half of the rarest term."""
    whole = sum(weights) or 1.0
    named = min(terms, TITLE_TERMS)
    score = sum(weight for weight, match in zip(weights[:named], matches, strict=False) if match)
    if len(matches) > named and matches[-1]:
        score = max(score, weights[0] / 2)
    return score / whole


def _saturated(frequency: float, length: float) -> float:
    return frequency * (K1 + 1) / (frequency + K1 * (1 - B + B * length))


def _score(found: list[Candidate], statistics: Statistics, weights: Sequence[float], *, text: bool) -> list[Candidate]:
    """Scores each passage by itself, by its neighbours and by its whole document, and sorts."""
    documents: dict[str, list[Candidate]] = defaultdict(list)
    for one in found:
        documents[one.document].append(one)
        length = one.length / statistics.passage_length
        one.text = sum(
            weight * _saturated(count, length) for weight, count in zip(weights, one.frequencies, strict=True) if count
        )
    sizes = _sizes(documents)
    whole = {}
    for document, passages in documents.items():
        length = sizes.get(document, statistics.document_size) / statistics.document_size
        totals = [sum(counts) for counts in zip(*(p.frequencies for p in passages), strict=True)]
        whole[document] = sum(w * _saturated(n, length) for w, n in zip(weights, totals, strict=True) if n)
    most_passage = max((one.text for one in found), default=0.0) or 1.0
    most_document = max(whole.values(), default=0.0) or 1.0
    for document, passages in documents.items():
        by_ordinal = {p.ordinal: p.text for p in passages}
        titled = max(p.titled for p in passages)
        for one in passages:
            near = (
                one.text + PREVIOUS * by_ordinal.get(one.ordinal - 1, 0.0) + NEXT * by_ordinal.get(one.ordinal + 1, 0.0)
            )
            one.score = TITLE * titled
            if text:
                one.score += near / most_passage + whole[document] / most_document
    return sorted(found, key=lambda one: (-one.score, one.document, one.ordinal))


def _sizes(documents: Iterable[str]) -> dict[str, int]:
    return dict(Document.objects.filter(pk__in=list(documents)).values_list("pk", "head__blob__size"))
