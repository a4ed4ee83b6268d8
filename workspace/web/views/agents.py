"""My agents, those that reach what I manage, and the tokens of mine."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.actor import Role
from workspace.errors import AlreadyExists, Gone, Invalid, NotFound
from workspace.queries import agents
from workspace.queries.agents import EVERYWHERE, AgentRow, AgentView, Listing
from workspace.queries.who import Who
from workspace.services import agents as services
from workspace.web.forms.agents import AgentForm, RenameForm
from workspace.web.frame import page, person

MAY = {Role.VIEWER: "reads", Role.EDITOR: "reads and writes", Role.MANAGER: "reads, writes and shares"}
LISTINGS: dict[str, Listing] = {"": "mine", "revoked": "revoked", "others": "others"}
NAMED = 3
"""Places that a line names; the page of the agent names them all."""


@dataclass(frozen=True, kw_only=True)
class Card:
    """An agent as a list and its own page show it: its mark, and its reach in words."""

    row: AgentRow
    face: Who
    reach: str


def card(row: AgentRow, *, most: int | None = NAMED) -> Card:
    """``most`` is how many places the words name, all of them when None."""
    face = Who(kind="agent", label=row.name, email=row.owner.email, person_label=row.owner.person_label, host=row.host)
    return Card(row=row, face=face, reach=reach(row, most=most))


def reach(row: AgentRow, *, most: int | None = NAMED) -> str:
    """Where an agent reaches and what it may there, as half a sentence."""
    whose = "you" if row.own else row.owner.person_label
    if not row.scopes:
        return f"may all that {whose} may"
    parts = []
    for role, verb in MAY.items():
        places = [scope.place for scope in row.scopes if scope.role is role]
        if EVERYWHERE in places:
            parts.append(f"{verb} wherever {whose} may")
        elif places:
            parts.append(f"{verb} in {_places(places, own=row.own, most=most)}")
    return "; ".join(parts)


def _places(places: list[str], *, own: bool, most: int | None) -> str:
    named = [place for place in places if place]
    shown = named if most is None else named[:most]
    rest = len(named) - len(shown)
    words = [*shown, *([f"{rest} more"] if rest else [])]
    if len(named) < len(places):
        words.append("places that you no longer see" if own else "places that you do not see by themselves")
    return ", ".join(words)


def index(request: HttpRequest) -> HttpResponse:
    """Agents, and the form for one with a token."""
    return _listed(request, AgentForm())


def _listed(request: HttpRequest, form: AgentForm, *, status: int = 200, **more: object) -> HttpResponse:
    actor = person(request)
    chosen = request.GET.get("of", "")
    if chosen not in LISTINGS:
        raise Invalid("of", "must be revoked or others, or left out.")
    found = agents.listing(actor, of=LISTINGS[chosen], cursor=request.GET.get("cursor"))
    context = {
        "form": form,
        "page": found,
        "cards": [card(row) for row in found.items],
        "chosen": chosen,
        "manages": agents.manages(actor),
        **more,
    }
    response = page(request, "agent/list.html", context, section="agents", status=status)
    if "minted" in more:
        response["Cache-Control"] = "no-store"
    return response


def create(request: HttpRequest) -> HttpResponse:
    """Make an agent. Its token is on this one answer and nowhere else, so there is no redirect; the form sent twice
    makes one agent, and both answers show its token."""
    form = AgentForm(request.POST)
    if form.is_valid():
        try:
            minted = services.create(
                person(request),
                name=form.cleaned_data["name"],
                host=form.cleaned_data["host"],
                scopes=form.scopes(),
                expires_days=form.cleaned_data["expires_days"],
                key=form.once(),
            )
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            form.add_error("name", refusal.detail)
            return _listed(request, form, status=409)
        else:
            return _listed(request, AgentForm(), status=201, minted=minted)
    return _listed(request, form, status=422)


def show(request: HttpRequest, agent_id: str) -> HttpResponse:
    """One agent: what it may, what it wrote, and where it comes from."""
    view = agents.show(person(request), agent=agent_id, cursor=request.GET.get("cursor"))
    return _shown(request, view, RenameForm(initial={"name": view.row.name}))


def _shown(request: HttpRequest, view: AgentView, form: RenameForm, *, status: int = 200) -> HttpResponse:
    context = {"view": view, "card": card(view.row, most=None), "page": view.writes, "form": form}
    return page(request, "agent/show.html", context, section="agents", status=status)


def rename(request: HttpRequest, agent_id: str) -> HttpResponse:
    """Give an agent of mine another name."""
    actor, form = person(request), RenameForm(request.POST)
    status = 422
    if form.is_valid():
        try:
            services.rename(actor, agent=agent_id, name=form.cleaned_data["name"])
        except Invalid as refusal:
            form.refuse(refusal)
        except (AlreadyExists, Gone) as refusal:
            form.add_error("name", refusal.detail)
            status = 409
        else:
            messages.success(request, "Renamed.")
            return redirect("agent", agent_id)
    return _shown(request, agents.show(actor, agent=agent_id), form, status=status)


def revoking(request: HttpRequest, agent_id: str) -> HttpResponse:
    """Asks before an agent ends."""
    view = agents.show(person(request), agent=agent_id)
    if not (view.row.own or view.row.may_end):
        raise NotFound
    return page(request, "agent/revoke.html", {"card": card(view.row, most=None)}, section="agents")


def revoke(request: HttpRequest, agent_id: str) -> HttpResponse:
    """End an agent."""
    services.revoke(person(request), agent=agent_id)
    messages.success(request, "Revoked. Its next call is refused.")
    return redirect("agents")
