"""Conflicts: the list, and the page that settles one."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from workspace.actor import Actor
from workspace.errors import Invalid
from workspace.merge import Hunk, merge, resolve
from workspace.merge.diff import diff
from workspace.queries import conflicts
from workspace.services import conflicts as services
from workspace.services.outcomes import Conflict
from workspace.web import cited
from workspace.web.diffs import spanned
from workspace.web.forms.base import once
from workspace.web.frame import page, person

KINDS = {
    "modify/modify": "both changed the same lines",
    "insert/insert": "both added text at the same place",
    "delete/modify": "one removed what the other changed",
}
CONTEXT = 100_000


@dataclass(frozen=True, kw_only=True)
class Place:
    """One hunk as the page shows it, with the choice that has been made for it."""

    heading: str | None
    words: str
    base: str
    mine: str
    theirs: str
    mine_html: SafeString
    theirs_html: SafeString
    choice: str
    own: str


def index(request: HttpRequest) -> HttpResponse:
    """Drafts that I wrote or may settle."""
    actor, state = person(request), request.GET.get("state", "open")
    state = state if state in conflicts.STATES else "open"
    rows = conflicts.listing(actor, state=state, limit=50, cursor=request.GET.get("cursor"))
    context = {"page": rows, "states": conflicts.STATES, "chosen": state}
    return page(request, "conflict/list.html", context, section="conflicts")


def resolution(request: HttpRequest, actor: Actor, conflict_id: str, *, status: int = 200, **more: Any) -> HttpResponse:
    """The resolution page. The choices of a form that was sent stay as they were."""
    conflict = conflicts.show(actor, id=conflict_id)
    context = {
        "view": conflict,
        "conflict": conflict.row,
        "hunks": [_place(hunk, n, request.POST) for n, hunk in enumerate(conflict.hunks)],
        "key": request.POST.get("key") or uuid4().hex,
        "message": request.POST.get("message", "") if status != 409 else "",
        "action": reverse("conflict", args=[conflict_id]),
        **more,
    }
    inside = conflict.row.location.rpartition("/")[0]
    return page(request, "conflict/show.html", context, section="conflicts", at=inside, status=status)


def show(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """The draft, the document and what both began from, place by place."""
    return resolution(request, person(request), conflict_id)


def settle(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """Save the result as a commit with two parents."""
    actor = person(request)
    if "preview" in request.POST:
        return preview(request, conflict_id)
    conflict = conflicts.show(actor, id=conflict_id)
    # A settled one is compared with other texts, and this may be the request that settled it, sent again.
    sent = sum(name.startswith("choice-") for name in request.POST)
    count = len(conflict.hunks) if conflict.row.state == conflicts.STATES[0] else sent
    choices, undecided = _choices(request.POST, count)
    if undecided:
        form_error = f"Still to be decided: {', '.join(str(n + 1) for n in undecided)}."
        return resolution(request, actor, conflict_id, status=422, notice=form_error)
    try:
        outcome = services.resolve(
            actor,
            conflict=conflict_id,
            choices=choices,
            expected_commit=request.POST.get("expected_commit") or None,
            message=request.POST.get("message", ""),
            idempotency_key=once(request.POST),
        )
    except Invalid as refusal:
        return resolution(request, actor, conflict_id, status=422, notice=refusal.detail)
    if isinstance(outcome, Conflict):
        moved = "The document changed while you decided. Your choices are kept; look at what is new."
        return resolution(request, actor, conflict_id, status=409, notice=moved)
    messages.success(request, f"Settled and saved as {outcome.commit[:8]}.")
    saved = urlencode({"saved": outcome.location})
    return redirect(f"{reverse('document', args=[outcome.location])}?{saved}")


def preview(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """The whole text as the choices so far would make it; an undecided place reads as the document has it."""
    actor = person(request)
    conflict = conflicts.show(actor, id=conflict_id)
    merged = merge(conflict.base, conflict.theirs, conflict.mine)
    choices, _ = _choices(request.POST, len(merged.hunks))
    html = cited.page(resolve(merged, choices))[0]
    if request.headers.get("HX-Request"):
        return render(request, "conflict/show.html#preview", {"preview": html})
    return resolution(request, actor, conflict_id, preview=html)


def discard(request: HttpRequest, conflict_id: str) -> HttpResponse:
    """Set the draft aside; its text stays on this page."""
    services.discard(person(request), conflict=conflict_id)
    messages.success(request, "The draft was set aside. Its text is still on its page.")
    return redirect("conflict", conflict_id)


def _choices(sent: Mapping[str, str], count: int) -> tuple[list[str | Mapping[str, str]], list[int]]:
    """A choice for each place, and the numbers of those without one (which read as the document has it)."""
    choices: list[str | Mapping[str, str]] = []
    undecided = []
    for n in range(count):
        choice = sent.get(f"choice-{n}", "")
        if choice == "text":
            choices.append({"text": sent.get(f"text-{n}", "").replace("\r\n", "\n")})
            continue
        if not choice:
            undecided.append(n)
        choices.append(choice or "theirs")
    return choices, undecided


def _place(hunk: Hunk, n: int, sent: Mapping[str, str]) -> Place:
    return Place(
        heading=hunk.heading,
        words=KINDS[hunk.kind],
        base=hunk.base,
        mine=hunk.mine,
        theirs=hunk.theirs,
        mine_html=_against(hunk.base, hunk.mine),
        theirs_html=_against(hunk.base, hunk.theirs),
        choice=sent.get(f"choice-{n}", ""),
        own=sent.get(f"text-{n}", hunk.mine),
    )


def _against(base: str, text: str) -> SafeString:
    """``text`` with the words marked that ``base`` does not have."""
    if not text.strip():
        return mark_safe("removed here")
    marked = {
        line.new_number: line.spans
        for hunk in diff(base, text, CONTEXT)
        for line in hunk.lines
        if line.kind == "insert"
    }
    shown = text.rstrip("\r\n").splitlines()
    return mark_safe(
        "\n".join(
            spanned(line, [(s.start, s.end) for s in marked.get(n, ())], "ins") for n, line in enumerate(shown, 1)
        )
    )
