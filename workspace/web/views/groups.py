"""Groups, for administrators: who is in them, which groups are parts of which, and where they have access."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.errors import AlreadyExists, Invalid
from workspace.queries import groups, people
from workspace.services import groups as services
from workspace.web import fields
from workspace.web.forms.base import PlainForm
from workspace.web.forms.groups import GroupForm, MemberForm, NestForm
from workspace.web.frame import page, person

SUGGESTED = 100


def index(request: HttpRequest) -> HttpResponse:
    """All groups, and the form for another."""
    return _listed(request, GroupForm())


def _listed(request: HttpRequest, form: GroupForm, *, status: int = 200) -> HttpResponse:
    found = groups.listing(person(request), cursor=request.GET.get("cursor"))
    return page(request, "group/list.html", {"page": found, "form": form}, section="groups", status=status)


def create(request: HttpRequest) -> HttpResponse:
    """Make an empty group."""
    form = GroupForm(request.POST)
    if form.is_valid():
        try:
            made = services.create(person(request), name=form.cleaned_data["name"])
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            form.add_error("name", refusal.detail)
            return _listed(request, form, status=409)
        else:
            messages.success(request, f"Made the group {made.name}. Put people into it.")
            return redirect("group", made.pk)
    return _listed(request, form, status=422)


def show(request: HttpRequest, group_id: int) -> HttpResponse:
    """One group: its people, the groups in it, and where it has access."""
    return _shown(request, group_id)


def _shown(request: HttpRequest, group_id: int, *, status: int = 200, **forms: PlainForm) -> HttpResponse:
    actor = person(request)
    group = groups.show(actor, group=group_id)
    context = {
        "group": group,
        "page": groups.members(actor, group=group_id, cursor=request.GET.get("cursor")),
        "form": GroupForm(initial={"name": group.name}),
        "member_form": MemberForm(),
        "nest_form": NestForm(),
        "suggested": people.near(actor, limit=SUGGESTED).items,
        "names": [name for name in groups.names(actor) if name != group.name],
        **forms,
    }
    return page(request, "group/show.html", context, section="groups", status=status)


def rename(request: HttpRequest, group_id: int) -> HttpResponse:
    """Call it something else; whatever was shared with it stays shared."""
    form = GroupForm(request.POST)
    if form.is_valid():
        try:
            services.rename(person(request), group=group_id, name=form.cleaned_data["name"])
        except Invalid as refusal:
            form.refuse(refusal)
        except AlreadyExists as refusal:
            form.add_error("name", refusal.detail)
            return _shown(request, group_id, status=409, form=form)
        else:
            messages.success(request, f"It is called {form.cleaned_data['name']} now.")
            return redirect("group", group_id)
    return _shown(request, group_id, status=422, form=form)


def delete(request: HttpRequest, group_id: int) -> HttpResponse:
    """Delete it with what was shared with it."""
    actor = person(request)
    name = groups.show(actor, group=group_id).name
    services.delete(actor, group=group_id)
    messages.success(request, f"Deleted the group {name}. What was shared with it is shared with it no more.")
    return redirect("groups")


def add(request: HttpRequest, group_id: int) -> HttpResponse:
    """Put somebody into it."""
    actor, form = person(request), MemberForm(request.POST)

    def put(email: str) -> None:
        services.add(actor, group=group_id, person=groups.person(actor, email=email))

    return _put(request, group_id, form, "member_form", put, said="{} is in it now.")


def remove(request: HttpRequest, group_id: int) -> HttpResponse:
    """Take somebody out of it."""
    services.remove(person(request), group=group_id, person=fields.number(request.POST.get("person", "")))
    messages.success(request, "Taken out of the group. What the group reaches is closed to them from now on.")
    return redirect("group", group_id)


def nest(request: HttpRequest, group_id: int) -> HttpResponse:
    """Put another group into it. One that already holds this group, itself too, is refused at its field."""
    actor, form = person(request), NestForm(request.POST)

    def put(name: str) -> None:
        services.nest(actor, group=group_id, inner=groups.named(actor, name=name))

    return _put(request, group_id, form, "nest_form", put, said="Whoever is in {} is in this group too now.")


def unnest(request: HttpRequest, group_id: int) -> HttpResponse:
    """Take a group out of it."""
    services.unnest(person(request), group=group_id, inner=fields.number(request.POST.get("inner", "")))
    messages.success(request, "Taken out. Its people are in this group no more, unless by another way.")
    return redirect("group", group_id)


def _put(
    request: HttpRequest, group_id: int, form: PlainForm, name: str, put: Callable[[str], None], *, said: str
) -> HttpResponse:
    """Put in what the one field of ``form`` names, or show the form, as ``name`` in the page, with what is wrong."""
    if form.is_valid():
        (value,) = form.cleaned_data.values()
        try:
            put(value.strip())
        except Invalid as refusal:
            form.refuse(refusal)
        else:
            messages.success(request, said.format(value.strip()))
            return redirect("group", group_id)
    return _shown(request, group_id, status=422, **{name: form})
