"""The admin's own site: signing in is the product's, and models lie in sections by what they are about."""

from functools import wraps
from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.views import redirect_to_login
from django.core.exceptions import BadRequest, PermissionDenied
from django.db import DataError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.views.decorators.cache import never_cache

from workspace.queries import health

SECTIONS = {
    "Content": ("Folder", "Document", "Commit", "Conflict", "Settling", "Draft", "Blame", "BlameMark", "Blob"),
    "People and access": (
        "Person",
        "Group",
        "Membership",
        "Nesting",
        "Grant",
        "AccessRequest",
        "Invitation",
        "SignInLink",
    ),
    "Agents": ("Agent", "AgentToken", "Connection", "AgentScope", "Client"),
    "Captures": ("Capture", "Summary", "Binding"),
    "Background": ("Job", "Heartbeat", "Chunk", "IdempotencyKey"),
    "Evidence": ("AuditEntry", "Receipt", "BriefMark"),
}
OTHER = "Other"


def section_of(model: str) -> str:
    """The section of the index that lists the model called ``model``."""
    return next((name for name, models in SECTIONS.items() if model in models), OTHER)


def place_of(model: str) -> int:
    """Where the model stands within its section."""
    models = SECTIONS.get(section_of(model), ())
    return models.index(model) if model in models else len(models)


class Site(AdminSite):
    site_header = "Baton administration"
    site_title = "Baton administration"
    index_title = "What is stored"

    def admin_view(self, view: Any, cacheable: bool = False) -> Any:
        """As the library's, which filters by whatever an address says: one that holds what the database cannot, such
        as a NUL or a year of eleven digits, is a bad request."""

        @wraps(view)
        def answered(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
            try:
                found = view(request, *args, **kwargs)
                # A list asks the database when it is drawn.
                return found.render() if isinstance(found, TemplateResponse) and not found.is_rendered else found
            except (DataError, OverflowError) as error:
                raise BadRequest("The address holds a value that cannot be stored, so nothing has it.") from error

        return super().admin_view(answered, cacheable)

    @method_decorator(never_cache)
    @method_decorator(login_not_required)
    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """To the product's sign-in page, so that its limits on guessing hold here too."""
        if request.user.is_authenticated:
            raise PermissionDenied
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:  # type: ignore[override]
        """To the product's own page, which records the change, tells it by mail and ends other sessions."""
        return redirect("account_change_password")

    def index(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> TemplateResponse:
        return super().index(request, {"backlog": health.backlog(), **(extra_context or {})})

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[dict[str, Any]]:
        """One entry a section, in the order of ``SECTIONS``; sections of which nothing may be seen are left out."""
        apps = super().get_app_list(request, app_label)
        if not apps:
            return []
        # The product's own, whose address the heading of a section leads to.
        own = next((app for app in apps if app["app_label"] == "workspace"), apps[0])
        models = [model for app in apps for model in app["models"]]
        models.sort(key=lambda model: (place_of(model["object_name"]), model["name"]))
        listed = []
        for section in (*SECTIONS, OTHER):
            inside = [model for model in models if section_of(model["object_name"]) == section]
            if inside:
                listed.append({**own, "name": section, "models": inside})
        return listed


site = Site(name="admin")
