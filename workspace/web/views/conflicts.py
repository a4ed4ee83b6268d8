"""Conflicts: the list, and the page that settles one."""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import Invalid, NotFound, TooLarge
from workspace.merge import Choice, ChoiceError, Decision, Merge, decided, merge, resolve
from workspace.queries import conflicts, settling
from workspace.queries.conflicts import ConflictView
from workspace.queries.settling import Table
from workspace.services import conflicts as services
from workspace.services import settling as keeping
from workspace.services.choices import DROP, carried
from workspace.services.outcomes import Conflict, Merged
from workspace.web import cited, settled
from workspace.web.errors import note
from workspace.web.forms.base import once
from workspace.web.frame import page, person

OPEN = conflicts.STATES[0]
OLD = "old"
"""Marks what a page sends in which nothing was chosen since it was opened: newer choices may be kept already."""
MOVED = "The document changed while you decided. What still fits of your choices is kept; look at what is new."


def index(request: HttpRequest) -> HttpResponse:
    """Drafts that I wrote or may settle, by state and place, or mine alone."""
    actor, state = person(request), request.GET.get("state", OPEN)
    state = state if state in conflicts.STATES else OPEN
    location, mine = request.GET.get("in", "").strip().strip("/"), "mine" in request.GET
    context: dict[str, Any] = {"states": conflicts.STATES, "chosen": state, "location": location, "mine": mine}
    try:
        context["page"] = conflicts.listing(
            actor, state=state, location=location or None, mine=mine, limit=50, cursor=request.GET.get("cursor")
        )
    except (NotFound, Invalid) as refusal:
        if isinstance(refusal, Invalid) and any(error.field == "cursor" for error in refusal.errors):
            raise
        note(request, refusal, location=location)
        context["error"] = "No folder or document of that name that you can see."
        return page(request, "conflict/list.html", context, section="conflicts", status=422)
    return page(request, "conflict/list.html", context, section="conflicts")


def resolution(
    request: HttpRequest, actor: Actor, conflict_id: str, *, status: int = 200, asks: bool = False, **more: Any
) -> HttpResponse:
    """The resolution page. What a form that was sent has chosen stays, and otherwise what was kept. With ``asks`` it
    shows the lines that the choices leave out, with a tick that says that this is meant."""
    view = conflicts.show(actor, id=conflict_id)
    table = settling.table(actor, conflict=conflict_id) if view.row.state == OPEN else None
    merged = view.merged
    choices, lost = _choices(request.POST, view, merged, table)
    context = {
        "view": view,
        "conflict": view.row,
        "versions": table.versions if table else (),
        "others": table.others if table else (),
        "places": [settled.place(hunk, choice, table) for hunk, choice in zip(merged.hunks, choices, strict=True)],
        "decided": sum(choice is not None for choice in choices),
        "lost": lost,
        "drops": settled.drops(view, choices) if asks else None,
        "by_itself": settled.by_itself(_decided(merged, choices)),
        "key": request.POST.get("key") or uuid4().hex,
        "message": request.POST.get("message", "") if status != 409 else "",
        "action": reverse("conflict", args=[conflict_id]),
        **more,
    }
    inside = view.row.location.rpartition("/")[0]
    return page(request, "conflict/show.html", context, section="conflicts", at=inside, status=status)


def show(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """The draft, the document and what both began from, place by place."""
    return resolution(request, person(request), conflict_id)


def settle(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """Save the result as a commit with two parents."""
    actor = person(request)
    if "preview" in request.POST:
        return preview(request, conflict_id)
    view = conflicts.show(actor, id=conflict_id)
    choices = settled.sent(request.POST)
    # A settled one is compared with other texts, and this may be the request that settled it, sent again.
    if view.row.state == OPEN:
        here = _same_head(request.POST, view)
        choices = settled.fitted(choices, view.hunks) if here else choices
        undecided = [str(n) for n, choice in enumerate(choices, 1) if choice is None]
        if undecided:
            _keep(actor, request.POST, view)
            told = f"Still to be decided: {', '.join(undecided)}." if here else MOVED
            return resolution(request, actor, conflict_id, status=422 if here else 409, notice=told)
    try:
        outcome = services.resolve(
            actor,
            conflict=conflict_id,
            choices=settled.told(choices),
            expected_commit=request.POST.get("expected_commit") or None,
            confirm_drop=_confirmed(request.POST, view, choices),
            message=request.POST.get("message", ""),
            idempotency_key=once(request.POST),
        )
    except (Invalid, TooLarge) as refusal:
        if isinstance(refusal, Invalid) and any(error.field == DROP for error in refusal.errors):
            # Where the document moved on, the page goes on from what is kept.
            _keep(actor, request.POST, view)
            return resolution(request, actor, conflict_id, status=422, asks=True)
        status = 413 if isinstance(refusal, TooLarge) else 422
        return resolution(request, actor, conflict_id, status=status, notice=refusal.detail)
    if isinstance(outcome, Conflict):
        _keep(actor, request.POST, view)
        return resolution(request, actor, conflict_id, status=409, notice=MOVED)
    beside = ", together with what was written meanwhile" if isinstance(outcome, Merged) else ""
    messages.success(request, f"Settled and saved as {outcome.commit[:8]}{beside}.")
    saved = urlencode({"saved": outcome.location})
    return redirect(f"{reverse('document', args=[outcome.location])}?{saved}")


def preview(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """The whole text as the choices so far would make it, which are kept; an undecided place reads as the document
    has it."""
    actor = person(request)
    view = conflicts.show(actor, id=conflict_id)
    merged = view.merged
    _keep(actor, request.POST, view)
    choices = settled.fitted(settled.sent(request.POST), merged.hunks)
    if not _same_head(request.POST, view):
        choices, _ = _choices(request.POST, view, merged, settling.table(actor, conflict=conflict_id))
    try:
        result = resolve(merged, settled.told(choices))
    except ChoiceError as error:
        raise Invalid("choices", str(error)) from None
    context: dict[str, Any] = {"preview": cited.page(result)[0], "spans": settled.spans(merged, choices)}
    if request.headers.get("HX-Request"):
        return render(request, "conflict/show.html#preview", context)
    return resolution(request, actor, conflict_id, **context)


def at_it(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """Keeps the choices so far, and tells who else is settling it, and whether it has been settled or has moved on."""
    actor = person(request)
    view = conflicts.show(actor, id=conflict_id)
    unkept = _keep(actor, request.POST, view)
    context = {
        "unkept": unkept,
        "others": settling.others(actor, conflict=conflict_id),
        "conflict": view.row,
        "view": view,
        "moved": view.row.state == OPEN and not _same_head(request.POST, view),
    }
    return render(request, "conflict/show.html#presence", context)


def discard(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """Set the draft aside; its text stays on this page."""
    services.discard(person(request), conflict=conflict_id)
    messages.success(request, "The draft was set aside. Its text is still on its page.")
    return redirect("conflict", conflict_id)


def _decided(merged: Merge, choices: Sequence[Choice | None]) -> tuple[Decision, ...]:
    """What the merge settled itself, with lines in the result as it is; without lines where a choice is none."""
    try:
        return decided(merged, settled.told(choices))
    except ChoiceError:
        return merged.decisions


def _same_head(sent: Mapping[str, str], view: ConflictView) -> bool:
    """Whether a form was made against the document as it is."""
    return sent.get("expected_commit", "") in ("", view.current_commit)


def _confirmed(sent: Mapping[str, str], view: ConflictView, choices: Sequence[Choice | None]) -> bool:
    """Whether the tick is there, for just the lines that are left out now."""
    if not sent.get(DROP) or view.row.state != OPEN or not _same_head(sent, view):
        return False
    try:
        found = settled.drops(view, choices)
    except ChoiceError:
        return False
    return found is not None and found.mark == sent[DROP]


def _step(value: str) -> int:
    if not (value.isascii() and value.isdigit() and len(value) <= 18):
        raise Invalid("step", "must be a whole number.")
    return int(value)


def _keep(actor: Actor, sent: Mapping[str, str], view: ConflictView) -> str:
    """Keep the choices of a form, if they are somebody's who may settle it. Tells why they could not be kept: what
    was typed stays in the form all the same."""
    if view.may_resolve:
        head = sent.get("expected_commit") or view.current_commit
        try:
            keeping.save(
                actor,
                conflict=view.row.id,
                choices=None if OLD in sent else settled.sent(sent),
                head=head,
                page=sent.get("page", ""),
                step=_step(sent.get("step", "0")),
            )
        except (Invalid, TooLarge) as refusal:
            return refusal.detail
    return ""


def _choices(
    sent: Mapping[str, str], view: ConflictView, merged: Merge, table: Table | None
) -> tuple[list[Choice | None], int]:
    """A choice or None for each place, and how many choices were dropped because their place is another now."""
    if settled.is_form(sent) and _same_head(sent, view):
        return settled.fitted(settled.sent(sent), merged.hunks), 0
    if table is None or table.head is None:
        return settled.fitted((), merged.hunks), 0
    if table.head == view.current_commit:
        return settled.fitted(table.choices, merged.hunks), 0
    before = merge(view.base, table.head_text, view.mine, version=merged.version).hunks
    made = {n: choice for n, choice in enumerate(table.choices) if choice is not None}
    kept, _ = carried(before, merged.hunks, made)
    return [kept.get(n) for n in range(len(merged.hunks))], len(made) - len(kept)
