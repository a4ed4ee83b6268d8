"""Addresses: each adapter brings its own, the probes lie beside them."""

from django.urls import URLPattern, URLResolver, include, path

from workspace.admin.site import site
from workspace.config import probes

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", probes.healthz),
    path("readyz", probes.readyz),
    path("metrics", probes.metrics_view),
    path("admin/", site.urls),
    path("accounts/", include("allauth.urls")),
    path("", include("workspace.rest.urls")),
    path("", include("workspace.web.urls")),
]

handler400 = "workspace.web.errors.bad_request"
handler403 = "workspace.web.errors.forbidden"
handler404 = "workspace.web.errors.not_found"
handler500 = "workspace.web.errors.broken"
