"""Probes for supervisors and load balancers."""

from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe


@login_not_required
@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 while the process answers."""
    return JsonResponse({"status": "ok"})


@login_not_required
@never_cache
@require_safe
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database answers and every migration is applied, else 503."""
    try:
        executor = MigrationExecutor(connection)
        pending = bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        parts = {"database": "ok", "migrations": "pending" if pending else "ok"}
    except Error:
        parts = {"database": "unavailable"}
    ready = set(parts.values()) == {"ok"}
    return JsonResponse({"status": "ok" if ready else "unavailable", **parts}, status=200 if ready else 503)
