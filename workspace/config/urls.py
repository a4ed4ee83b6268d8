"""Addresses: each adapter brings its own, the probes lie beside them."""

from django.contrib import admin
from django.urls import include, path

from workspace.config import probes

urlpatterns = [
    path("healthz", probes.healthz),
    path("readyz", probes.readyz),
    path("admin/", admin.site.urls),
    path("accounts/", include("allauth.urls")),
]
