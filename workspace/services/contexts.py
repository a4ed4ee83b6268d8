"""What a host's hook gives its model before it answers, and the receipts of what became of it.

Asking is ``invoked``, each document that was found is ``retrieved``, and the host then reports ``attached`` or
``withheld``. Only what was attached has been read.
"""

import time
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.db import IntegrityError, connection, transaction
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.crypto import salted_hmac

from workspace import access
from workspace.actor import Actor, Via
from workspace.digest.packing import pack
from workspace.errors import IdempotencyMismatch, Invalid, NotFound
from workspace.models import Folder, Receipt, ReceiptKind
from workspace.models.bindings import DEFAULT_BUDGET_CHARS, DEFAULT_DEADLINE_MS
from workspace.models.documents import COMMITTING
from workspace.models.ids import receipt_id
from workspace.models.receipts import NOTHING_TO_SAY, UNAVAILABLE
from workspace.queries import contexts, fences
from workspace.queries import receipts as reads
from workspace.queries.contexts import Found
from workspace.queries.deadlines import Deadline, Late
from workspace.queries.receipts import ReceiptRow
from workspace.services import texts

BUDGET_CHARS: Final = DEFAULT_BUDGET_CHARS
MOST_BUDGET: Final = 100_000
DEADLINE_MS: Final = DEFAULT_DEADLINE_MS
MOST_DEADLINE_MS: Final = 60_000
MOST_PROMPT: Final = 1_000_000
KEPT_BACK: Final = 0.15
"""Seconds of the deadline, or that share of one below a second, for packing, receipts and the way back."""
REPORTED: Final = (ReceiptKind.ATTACHED.value, ReceiptKind.WITHHELD.value)
LEAST_TO_RECORD: Final = 0.05
"""Seconds that recording may take even where the deadline is shorter: else such prompts would leave no trace."""
_SALT = "workspace.services.contexts"

READ = """
INSERT INTO {table}
       (id, kind, person_id, agent_id, job, via, session, host, operation, document_id, commit_id, reason, data)
SELECT 'rcp_' || substr(md5(found.id || 'read'), 1, 26), 'read', person_id, agent_id, job, via, session, host,
       operation, document_id, commit_id, '', '{{}}'
  FROM {table} found
 WHERE kind = 'retrieved' AND operation = %(operation)s AND document_id IS NOT NULL
   AND person_id IS NOT DISTINCT FROM %(person)s AND agent_id IS NOT DISTINCT FROM %(agent)s
ON CONFLICT DO NOTHING
"""


@dataclass(frozen=True, kw_only=True)
class Context:
    """``text`` for the model, empty where there is none, and ``why`` then: ``nothing to say``, or ``unavailable``
    where the time was over before anything was found. ``partial``: the time was over before all was looked for.

    ``used`` is the length of ``text`` in characters, at most ``asked``. ``receipt`` is what the host reports on, empty
    where the time was over before the asking could be recorded: nothing is given then, and nothing is to be reported.
    """

    text: str
    citations: tuple[Found, ...]
    asked: int
    used: int
    left_out: int
    partial: bool
    receipt: str
    why: str

    @property
    def unavailable(self) -> bool:
        """Whether the time was over before anything was found."""
        return self.why == UNAVAILABLE


def prepare(
    actor: Actor,
    *,
    prompt: str,
    location: str | None = None,
    budget_chars: int = BUDGET_CHARS,
    deadline_ms: int = DEADLINE_MS,
    host: str = "",
    session: str = "",
    operation_id: str = "",
) -> Context:
    """What to tell a model with ``prompt``: how things stand in the folder at ``location`` (of a document: around
    it), what others changed there since the last prompt of this ``session``, and passages that answer, from
    everything that the actor reads.

    ``operation_id`` is the retry identity: the same again is answered anew, from what may be read by then, under the
    same receipt. Raises ``NotFound``, ``Invalid``, ``IdempotencyMismatch("operation_id")``.
    """
    begun = time.monotonic()
    prompt = _prompt(prompt)
    budget = texts.whole(budget_chars, field="budget_chars", least=0, most=MOST_BUDGET)
    seconds = texts.whole(deadline_ms, field="deadline_ms", least=1, most=MOST_DEADLINE_MS) / 1000
    kept = min(KEPT_BACK, KEPT_BACK * seconds)
    deadline = Deadline(begun + seconds - kept)
    recording = Deadline(begun + max(seconds - kept / 3, LEAST_TO_RECORD))
    operation = texts.word(operation_id, field="operation_id", limit=255)
    host = texts.word(host, field="host", limit=64)
    session = texts.word(session, field="session", limit=200)
    actor = replace(
        actor,
        host=host or actor.host,
        session=session or actor.session,
        via=Via.HOOK if host and actor.via is Via.REST else actor.via,
    )
    try:
        with recording.kept():
            folder = _folder(actor, location)
            asked = _invoked(actor, folder, operation, prompt, budget)
            since = _since(asked)
    except Late:
        return _unavailable(budget)
    found, late = contexts.gather(actor, folder=folder, since=since, prompt=prompt, budget=budget, deadline=deadline)
    packed = pack(found, budget, sign=fences.sign)
    why = "" if packed.text else UNAVAILABLE if late else NOTHING_TO_SAY
    try:
        with recording.kept():
            _record(actor, asked, _retrieved(folder, packed.parts, why))
    except (Late, IntegrityError):
        # What was found and not recorded, or was erased meanwhile, is not given: no reading goes without a receipt.
        return _unavailable(budget, asked.pk)
    return Context(
        text=packed.text,
        citations=packed.parts,
        asked=budget,
        used=packed.used,
        left_out=packed.left_out,
        partial=late,
        receipt=asked.pk,
        why=why,
    )


def _unavailable(budget: int, receipt: str = "") -> Context:
    """The answer where the time was over before what was asked, or found, could be recorded."""
    return Context(
        text="", citations=(), asked=budget, used=0, left_out=0, partial=True, receipt=receipt, why=UNAVAILABLE
    )


@transaction.atomic(durable=True)
def report(actor: Actor, *, receipt: str, stage: str, reason: str = "") -> ReceiptRow:
    """Records that what was found for the prompt of ``receipt`` was ``attached`` to it, or ``withheld`` and why; the
    first report of each counts. What was attached has been read.

    Raises ``Invalid``, and ``NotFound`` for a receipt that is not the actor's own.
    """
    if stage not in REPORTED:
        raise Invalid("stage", f"must be one of: {', '.join(REPORTED)}.")
    reason = texts.note(reason, field="reason")
    asked = _own(actor).filter(kind=ReceiptKind.INVOKED, pk=receipt).first()
    if asked is None:
        raise NotFound
    actor = replace(actor, host=asked.host, session=asked.session, via=Via(asked.via))
    _record(actor, asked, [Receipt(kind=stage, folder_id=asked.folder_id, reason=reason)])
    if stage == ReceiptKind.ATTACHED:
        with connection.cursor() as cursor:
            cursor.execute(
                READ.format(table=connection.ops.quote_name(Receipt._meta.db_table)),
                {"operation": asked.operation, "person": actor.person, "agent": actor.agent},
            )
    told = _own(actor).select_related("document__folder", "folder", "person", "agent__person")
    row = told.get(kind=stage, operation=asked.operation)
    seen = reads.visible(actor).filter(pk=row.pk).exists()
    # It may have been moved since to where the actor does not read: then its new place is not theirs to know.
    return reads.shape(row) if seen else replace(reads.shape(row), location="")


def _own(actor: Actor) -> QuerySet[Receipt]:
    return Receipt.objects.filter(person=actor.person, agent=actor.agent)


def _prompt(value: object) -> str:
    if not isinstance(value, str):
        raise Invalid("prompt", "must be text.")
    if len(value) > MOST_PROMPT:
        raise Invalid("prompt", f"has {len(value):,} characters. At most {MOST_PROMPT:,} are taken.")
    # A host passes on whatever was pasted: what no text can hold is left out, and nothing is refused.
    return value.encode("utf-8", "ignore").decode().replace("\x00", " ")


def _folder(actor: Actor, location: str | None) -> Folder | None:
    if not location:
        return None
    place = access.place(actor, location=location)
    if isinstance(place, Folder):
        return place
    try:
        return access.folder(actor, id=place.folder_id)
    except NotFound:
        return None  # a document that was shared by itself


def _invoked(actor: Actor, folder: Folder | None, operation: str, prompt: str, budget: int) -> Receipt:
    """The receipt of the asking: a new one, or that of the same operation before."""
    made = receipt_id()
    # Keyed, since readers of the folder see it: a short prompt could be guessed from a plain digest.
    digest = salted_hmac(_SALT, f"{folder.pk if folder else ''}:{prompt}", algorithm="sha256").hexdigest()[:32]
    data = {"prompt": digest, "characters": len(prompt), "budget": budget}
    asked = Receipt(id=made, operation=operation or made)
    _record(actor, asked, [Receipt(id=made, kind=ReceiptKind.INVOKED, folder=folder, data=data)])
    first = _own(actor).get(kind=ReceiptKind.INVOKED, operation=asked.operation)
    if first.data.get("prompt") != digest:
        raise IdempotencyMismatch("operation_id")
    return first


def _since(asked: Receipt) -> datetime | None:
    """When the same session asked before this; None where it did not, and then knows nothing that could change."""
    if not asked.session:
        return None
    earlier = Receipt.objects.filter(
        kind=ReceiptKind.INVOKED, session=asked.session, person=asked.person_id, agent=asked.agent_id, at__lt=asked.at
    )
    last = earlier.exclude(pk=asked.pk).order_by("-at").values_list("at", flat=True).first()
    return last - COMMITTING if last else None


def _retrieved(folder: Folder | None, found: Iterable[Found], why: str) -> list[Receipt]:
    """A receipt for each version that is cited, and one without a document where there is none.

    That of a document is seen by its readers, so it tells of nothing else that was found.
    """
    told: dict[tuple[str, str], dict[str, Any]] = {}
    for one in found:
        data = told.setdefault((one.document, one.commit), {"lines": [], "characters": 0})
        data["lines"] += [list(one.lines)] if one.lines else []
        data["characters"] += len(one.text)
    return [
        Receipt(kind=ReceiptKind.RETRIEVED, document_id=document, commit_id=commit, data=data)
        for (document, commit), data in told.items()
    ] or [Receipt(kind=ReceiptKind.RETRIEVED, folder=folder, reason=why)]


def _record(actor: Actor, asked: Receipt, rows: Iterable[Receipt]) -> None:
    """Records stages of the prompt of ``asked``; those that were recorded before stay as they are."""
    made = list(rows)
    for row in made:
        row.operation = asked.operation
        row.person_id, row.agent_id, row.job = actor.person, actor.agent, actor.job
        # By the clock that dates commits, which is not the database's.
        row.at = timezone.now()
        row.via, row.session, row.host = actor.via.value, actor.session[:200], actor.host[:64]
    Receipt.objects.bulk_create(made, ignore_conflicts=True)
