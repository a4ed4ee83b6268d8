"""Which folder belongs to which repository, and whether sessions are saved there."""

from django.conf import settings
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.errors import Forbidden, Invalid, NotFound
from workspace.queries import bindings
from workspace.queries.bindings import BindingRow
from workspace.queries.who import Who
from workspace.services import bindings as services
from workspace.web.errors import note
from workspace.web.forms.base import PlainForm
from workspace.web.forms.bindings import BindingForm, CaptureForm, SettingsForm
from workspace.web.frame import page, person

NO_FOLDER = "There is no folder here that you can see. Check the location, or make it first."


def index(request: HttpRequest) -> HttpResponse:
    """My bindings, the instance's defaults that hold for me, and the form for one more."""
    return _listed(request, BindingForm(initial={"folder": request.GET.get("folder", "")}))


def _listed(request: HttpRequest, form: BindingForm, *, status: int = 200) -> HttpResponse:
    actor = person(request)
    context = {
        "form": form,
        "page": bindings.listing(actor, cursor=request.GET.get("cursor")),
        "defaults": bindings.defaults(actor),
        "base": settings.BATON_BASE_URL,
    }
    return page(request, "binding/list.html", context, section="bindings", status=status)


def create(request: HttpRequest) -> HttpResponse:
    """Bind a repository."""
    form = BindingForm(request.POST)
    if form.is_valid() and (made := _bind(request, form, form.cleaned_data["repository"])) is not None:
        return made
    return _listed(request, form, status=422)


def _bind(request: HttpRequest, form: PlainForm, repository: str) -> HttpResponse | None:
    """The way to the list; None where the form now says what was wrong."""
    given = {name: form.cleaned_data[name] for name in ("folder", "policy", "deadline_ms", "budget_chars")}
    given["folder"] = given["folder"].strip().strip("/")
    try:
        made = services.bind(person(request), repository=repository, **given)
    except NotFound as refusal:
        note(request, refusal, location=given["folder"])
        form.add_error("folder", NO_FOLDER)
    except Invalid as refusal:
        form.aliases = {"location": "folder"}
        form.refuse(refusal)
    else:
        ended = " Sessions are no longer saved: that was agreed to for another folder." if made.capture_ended else ""
        messages.success(request, f"{made.repository} belongs to {made.folder}.{ended}")
        return redirect("bindings")
    return None


def show(request: HttpRequest, binding_id: str) -> HttpResponse:
    """One of mine, to change it."""
    row = bindings.show(person(request), id=binding_id)
    initial = {name: getattr(row, name) for name in ("folder", "policy", "deadline_ms", "budget_chars")}
    return _shown(request, row, SettingsForm(initial=initial))


def _shown(request: HttpRequest, row: BindingRow, form: SettingsForm, *, status: int = 200) -> HttpResponse:
    return page(request, "binding/show.html", {"binding": row, "form": form}, section="bindings", status=status)


def change(request: HttpRequest, binding_id: str) -> HttpResponse:
    """Keep what was changed."""
    row = bindings.show(person(request), id=binding_id)
    form = SettingsForm(request.POST)
    if form.is_valid() and (kept := _bind(request, form, row.repository)) is not None:
        return kept
    return _shown(request, row, form, status=422)


def remove(request: HttpRequest, binding_id: str) -> HttpResponse:
    """Remove one of mine."""
    services.remove(person(request), binding=binding_id)
    messages.success(request, "Removed. What was saved stays.")
    return redirect("bindings")


def capturing(request: HttpRequest, binding_id: str) -> HttpResponse:
    """What saving sessions means, before it is switched on."""
    told = bindings.consent(person(request), id=binding_id)
    return _capturing(request, told, CaptureForm(initial={"capture": told.binding.capture}))


def _capturing(
    request: HttpRequest, told: bindings.Consent, form: CaptureForm, *, status: int = 200, **more: object
) -> HttpResponse:
    readers = [Who(kind="person", label=one.label, email=one.email, person_label=one.label) for one in told.named]
    context = {
        "told": told,
        "binding": told.binding,
        "form": form,
        "readers": readers,
        "others": told.readers - len(readers),
        "base": settings.BATON_BASE_URL,
        **more,
    }
    return page(request, "binding/capture.html", context, section="bindings", status=status)


def switch(request: HttpRequest, binding_id: str) -> HttpResponse:
    """Switch the saving of sessions off, to ask, or on."""
    actor, form = person(request), CaptureForm(request.POST)
    if form.is_valid():
        chosen = form.cleaned_data["capture"]
        try:
            services.switch_capture(actor, binding=binding_id, capture=chosen, seen=form.cleaned_data["seen"])
        except Invalid:
            # The tick was for what is no longer so: it is to be given for what the page says now.
            told = bindings.consent(actor, id=binding_id)
            return _capturing(request, told, CaptureForm(initial={"capture": chosen}), status=409, changed=True)
        except Forbidden as refusal:
            note(request, refusal)
            form.add_error(None, refusal.detail)
            return _capturing(request, bindings.consent(actor, id=binding_id), form, status=403)
        messages.success(request, SWITCHED[chosen])
        return redirect("bindings")
    return _capturing(request, bindings.consent(actor, id=binding_id), form, status=422)


SWITCHED = {
    "off": "Off. Nothing is saved by itself from now on; what was saved stays.",
    "ask": "From now on each session waits among your captures until you approve it.",
    "on": "From now on each session is saved as it ends.",
}
