"""Who can read what, and through which grant."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.access import Abilities
from workspace.actor import Actor, Role
from workspace.errors import Forbidden, Invalid
from workspace.queries import access
from workspace.queries.access import GrantRow
from workspace.queries.folders import FolderView
from workspace.queries.who import Who
from workspace.services import sharing
from workspace.web.forms.people import ShareForm
from workspace.web.frame import page, person
from workspace.web.views.places import at


def _shown(
    request: HttpRequest, actor: Actor, location: str, form: ShareForm, *, status: int = 200, **more: object
) -> HttpResponse:
    place = at(actor, location)
    if not place.abilities:
        raise Forbidden("You see this folder's name only.", need="viewer")
    context = {
        "location": location,
        "of": "folder" if isinstance(place, FolderView) else "document",
        "form": form,
        "grants": [
            (g, _face(g), _may_revoke(actor, place.abilities, g)) for g in access.grants(actor, location=location)
        ],
        "readers": access.readers(actor, location=location),
        "may_share": place.abilities.share,
        "abilities": place.abilities,
        **more,
    }
    return page(request, "share/show.html", context, at=location, current=location, status=status)


def _face(grant: GrantRow) -> Who:
    return Who(kind="person", label=grant.label, email=grant.subject, person_label=grant.label)


def _may_revoke(actor: Actor, abilities: Abilities, grant: GrantRow) -> bool:
    """Whether the service would take this grant back: managers all, editors up to editor, everybody their own."""
    if grant.inherited_from:
        return False
    return abilities.manage or grant.subject == actor.email or (abilities.share and grant.role is not Role.MANAGER)


def show(request: HttpRequest, location: str) -> HttpResponse:
    """Grants at a place and who can read it."""
    return _shown(request, person(request), location, ShareForm())


def share(request: HttpRequest, location: str) -> HttpResponse:
    """Show what a grant would open; grant it once that was confirmed."""
    actor, form = person(request), ShareForm(request.POST)
    if not form.is_valid():
        return _shown(request, actor, location, form, status=422)
    subject, role = form.cleaned_data["subject"].strip(), form.cleaned_data["role"]
    try:
        if "confirmed" not in request.POST:
            preview = sharing.preview(actor, location=location, subject=subject, role=role)
            return _shown(request, actor, location, form, preview=preview)
        sharing.grant(actor, location=location, subject=subject, role=role)
    except Invalid as refusal:
        form.refuse(refusal)
        return _shown(request, actor, location, form, status=422)
    except Forbidden as refusal:
        form.add_error("role", refusal.detail)
        return _shown(request, actor, location, form, status=403)
    messages.success(request, f"{subject} is {role} of {location} now.")
    return redirect("share", location)


def revoke(request: HttpRequest, location: str) -> HttpResponse:
    """Take a grant back."""
    actor, subject = person(request), request.POST.get("subject", "")
    try:
        sharing.revoke(actor, location=location, subject=subject)
    except Forbidden as refusal:
        return _shown(request, actor, location, ShareForm(), status=403, notice=refusal.detail)
    messages.success(request, f"{subject} no longer has that role here.")
    return redirect("share", location) if subject != actor.email else redirect("home")
