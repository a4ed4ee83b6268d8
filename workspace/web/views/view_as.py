"""View as: a manager sees a place as somebody else does. Nothing can be done there but look."""

from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.urls import reverse

from workspace.actor import Actor
from workspace.errors import Forbidden, Gone, Invalid, NotFound
from workspace.queries import access, documents, folders
from workspace.queries.folders import FolderView
from workspace.services import sharing
from workspace.web import cited
from workspace.web.forms.sharing import ViewAsForm
from workspace.web.frame import page, person
from workspace.web.views.places import at

ROWS = 100
PERSON = "person"


def show(request: HttpRequest, location: str) -> HttpResponse:
    """The place as the person in ``?person=`` sees it; without one, a choice of people."""
    actor, subject = person(request), request.GET.get(PERSON, "").strip()
    place = at(actor, location)
    if not (place.abilities and place.abilities.manage):
        raise Forbidden("Seeing a place as somebody else needs manager.", need="manager")
    of = "folder" if isinstance(place, FolderView) else "document"
    if not subject:
        return _choice(request, actor, location, of, ViewAsForm())
    form = ViewAsForm({PERSON: subject})
    try:
        seen = sharing.view_as(actor, location=location, subject=subject)
    except Invalid as refusal:
        form.is_valid()
        form.refuse(refusal)
        return _choice(request, actor, location, of, form, status=422)
    return _seen(request, seen, location)


def _choice(
    request: HttpRequest, actor: Actor, location: str, of: str, form: ViewAsForm, *, status: int = 200
) -> HttpResponse:
    found = access.who(actor, location=location, limit=ROWS, cursor=request.GET.get("cursor"))
    context = {"location": location, "of": of, "form": form, "page": found}
    return page(request, "view_as/choose.html", context, at=location, current=location, status=status)


def _seen(request: HttpRequest, seen: Actor, location: str) -> HttpResponse:
    """What the queries give to ``seen``. Where it reaches nothing the page says so, with the manager's own status."""
    query = "?" + urlencode({PERSON: seen.email})
    context: dict[str, object] = {
        "location": location,
        "seen": seen,
        "as": query,
        "leave": reverse("share", args=[location]),
    }
    try:
        place = at(seen, location)
    except (NotFound, Gone):
        return page(request, "view_as/show.html", context | {"nothing": True}, at=location, current=location)
    if isinstance(place, FolderView):
        context |= {
            "folder": place,
            "folders": folders.children(seen, parent=location, limit=ROWS).items,
            "page": documents.children(seen, location=location, limit=ROWS, cursor=request.GET.get("cursor")),
        }
    else:
        document = documents.read(seen, location=location)
        html, rendered = cited.page(document.content)
        titled = any(entry.level == 1 for entry in rendered.contents[:1])
        context |= {"document": document, "html": html, "titled": titled}
    return page(request, "view_as/show.html", context, at=location, current=location)
