"""Who can read what, and through which grant; sharing it, and taking that back."""

from dataclasses import dataclass

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render

from workspace.access import Abilities
from workspace.actor import Actor, Role
from workspace.errors import AccessChange, Forbidden, Invalid, RateLimited
from workspace.queries import access, groups, people
from workspace.queries.access import GrantRow
from workspace.queries.folders import FolderView
from workspace.queries.who import Who
from workspace.services import invitations, sharing
from workspace.web.forms.sharing import ShareForm
from workspace.web.frame import page, person
from workspace.web.previews import shown, shown_again
from workspace.web.views.places import at

ROWS = 100
MOST_TYPED = 100
CHANGED = "What you looked at has changed since, or ten minutes have gone by. This is what it changes now."


@dataclass(frozen=True, kw_only=True)
class Given:
    """A grant of the place itself. ``roles`` are those that it may be changed to, empty where it may not."""

    grant: GrantRow
    face: Who
    own: bool
    roles: tuple[str, ...]
    may_revoke: bool


@dataclass(frozen=True, kw_only=True)
class Suggestion:
    value: str
    label: str


def _page(
    request: HttpRequest,
    actor: Actor,
    location: str,
    form: ShareForm | None = None,
    *,
    status: int = 200,
    **more: object,
) -> HttpResponse:
    place = at(actor, location)
    if not place.abilities:
        raise Forbidden("You see this folder's name only.", need="viewer")
    abilities, is_folder = place.abilities, isinstance(place, FolderView)
    found = access.overview(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    context = {
        "location": location,
        "of": "folder" if is_folder else "document",
        "form": form or ShareForm(most=abilities.role),
        "given": [_given(actor, abilities, row) for row in found.grants if not row.inherited_from],
        "page": found.who,
        "suggested": _suggested(actor) if abilities.share else (),
        "abilities": abilities,
        "closed": abilities.edit and not abilities.share,
        **more,
    }
    if isinstance(place, FolderView):
        context |= {"editors_share": place.editors_share, "closed_above": place.closed_above}
    inside = location if is_folder else location.rpartition("/")[0]
    return page(request, "share/show.html", context, at=inside, current=location, status=status)


def _given(actor: Actor, abilities: Abilities, grant: GrantRow) -> Given:
    own = grant.subject == actor.email
    # What the services would refuse is not drawn: a manager's grant is a manager's to change.
    may = abilities.share and (abilities.manage or grant.role is not Role.MANAGER)
    roles = [role.label for role in Role if abilities.manage or role < Role.MANAGER]
    return Given(
        grant=grant,
        face=Who(kind="person", label=grant.label, email=grant.subject, person_label=grant.label),
        own=own,
        roles=tuple(roles) if may else (),
        may_revoke=may or own,
    )


def _suggested(actor: Actor, q: str = "") -> list[Suggestion]:
    """Whom the actor shares something with already, and their groups; for an administrator all groups. ``q`` keeps
    what holds it."""
    near = people.near(actor, q=q, limit=ROWS).items
    named = {name for row in near for name in row.groups} | set(groups.names(actor, q=q))
    return [
        *(Suggestion(value=row.email, label=row.label) for row in near),
        *(Suggestion(value=f"{sharing.GROUP}{name}", label=name) for name in sorted(named)),
    ]


def suggest(request: HttpRequest) -> HttpResponse:
    """Addresses and groups that hold what was typed so far, to be chosen from."""
    typed = request.GET.get("subject", "").strip().removeprefix(sharing.GROUP)[:MOST_TYPED]
    context = {"suggested": _suggested(person(request), typed.replace("\x00", ""))}
    return render(request, "share/show.html#suggested", context)


def show(request: HttpRequest, location: str) -> HttpResponse:
    """Grants at a place and who can read it."""
    return _page(request, person(request), location)


def share(request: HttpRequest, location: str) -> HttpResponse:
    """Tell what a grant would change; with the token of that, give it."""
    actor = person(request)
    form = ShareForm(request.POST, most=_most(actor, location))
    if not form.is_valid():
        return _page(request, actor, location, form, status=422)
    subject, role = form.cleaned_data["subject"].strip(), form.cleaned_data["role"]
    token = form.cleaned_data["confirm_token"]
    try:
        if "invite" in request.POST:
            return _invite(request, actor, location, subject, role)
        if not token:
            preview = shown(actor, location=location, subject=subject, role=role)
            return _page(request, actor, location, form, preview=preview)
        sharing.grant(actor, location=location, subject=subject, role=role, confirm_token=token)
    except Invalid as refusal:
        form.refuse(refusal)
        return _page(request, actor, location, form, status=422, invite=_invitable(refusal, subject, role))
    except Forbidden as refusal:
        form.add_error("role", refusal.detail)
        return _page(request, actor, location, form, status=403)
    except AccessChange as refusal:
        return _page(
            request, actor, location, form, status=409, preview=shown_again(refusal, subject=subject), changed=CHANGED
        )
    messages.success(request, f"{subject} is {role} of {location} now.")
    return redirect("share", location)


def _most(actor: Actor, location: str) -> str:
    place = at(actor, location)
    return place.abilities.role if place.abilities else ""


def _invitable(refusal: Invalid, subject: str, role: str) -> dict[str, str] | None:
    """Whom the page offers to invite: an address that nobody here has."""
    unknown = any(error.field == "subject" for error in refusal.errors)
    return {"email": subject, "role": role} if unknown and "@" in subject else None


def _invite(request: HttpRequest, actor: Actor, location: str, email: str, role: str) -> HttpResponse:
    """Invite somebody who has no account; they get the role when they accept. The link is on this one answer."""
    try:
        invited = invitations.create(actor, email=email, location=location, role=role)
    except RateLimited as refusal:
        return _page(request, actor, location, status=429, notice=refusal.detail)
    if invited.mailed:
        messages.success(request, f"Invited {invited.email}. They are {role} of {location} once they accept.")
    response = _page(request, actor, location, status=201, invited=invited)
    response["Cache-Control"] = "no-store"
    return response


def revoke(request: HttpRequest, location: str) -> HttpResponse:
    """Tell who would lose what and keep what; with the token of that, take the grant back."""
    actor, subject = person(request), request.POST.get("subject", "").strip()
    token = request.POST.get("confirm_token", "")
    try:
        if not token:
            return _page(request, actor, location, preview=shown(actor, location=location, subject=subject))
        sharing.revoke(actor, location=location, subject=subject, confirm_token=token)
    except Forbidden as refusal:
        return _page(request, actor, location, status=403, notice=refusal.detail)
    except AccessChange as refusal:
        return _page(
            request, actor, location, status=409, preview=shown_again(refusal, subject=subject), changed=CHANGED
        )
    if subject.casefold() == actor.email.casefold():
        messages.success(request, f"You gave up your role at {location}.")
        return redirect("home")
    messages.success(request, f"{subject} no longer has that role at {location}.")
    return redirect("share", location)


def editors(request: HttpRequest, location: str) -> HttpResponse:
    """Let editors share a folder and what is below it, or managers alone."""
    actor, allowed = person(request), request.POST.get("allowed", "")
    if allowed not in ("yes", "no"):
        raise Invalid("allowed", "must be yes or no.")
    sharing.set_editors_share(actor, location=location, allowed=allowed == "yes")
    said = "Editors may share it now, up to editor." if allowed == "yes" else "Only managers share it now."
    messages.success(request, said)
    return redirect("share", location)
