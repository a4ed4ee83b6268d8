"""Addresses: each adapter brings its own, the probes lie beside them."""

from allauth.usersessions.views import list_usersessions
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern, URLResolver, include, path

from workspace.admin.site import site
from workspace.config import probes
from workspace.oauth import addresses, answers
from workspace.rest import errors as rest_errors
from workspace.web import errors as web_errors
from workspace.web.views import account


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """Django's own refusal (a wrong Host, too many fields), in the form of the surface that was asked."""
    if request.path.startswith("/api/"):
        return rest_errors.problem(
            request, "INVALID", 400, "The request cannot be answered under this host name or in this form."
        )
    if addresses.is_interface(request.path):
        return answers.unread(request)
    return web_errors.bad_request(request, exception)


urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", probes.healthz),
    path("readyz", probes.readyz),
    path("metrics", probes.metrics_view),
    path("admin/", site.urls),
    path("accounts/email/", web_errors.verbs(GET=account.email, POST=account.email), name="account_email"),
    path(
        "accounts/sessions/",
        web_errors.verbs(GET=list_usersessions, POST=account.end_sessions),
        name="usersessions_list",
    ),
    path("accounts/", include("allauth.urls")),
    path("", include("workspace.oauth.urls")),
    path("", include("workspace.rest.urls")),
    path("", include("workspace.hosts.urls")),
    path("", include("workspace.web.urls")),
]

handler400 = "workspace.config.urls.bad_request"
handler403 = "workspace.web.errors.forbidden"
handler404 = "workspace.web.errors.not_found"
handler429 = "workspace.web.errors.too_many"
handler500 = "workspace.web.errors.broken"
