"""Probes for supervisors, load balancers and Prometheus."""

import hmac
import os
import time
from ipaddress import ip_address

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.db import Error, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from workspace.config import metrics
from workspace.queries import health
from workspace.services import heartbeats

SUPERVISED = "BATON_SUPERVISED"
# Beat rings every 5 s; a worker that is restarted is back within this time.
STALE_S = 45.0
begun = time.monotonic()
_migrated = False


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
    """200 when the database answers, every migration is applied and, under `up`, a worker lives; else 503."""
    try:
        parts = {"database": "ok", "migrations": "ok" if migrated() else "pending"}
        if parts["migrations"] == "ok" and os.environ.get(SUPERVISED):
            parts["worker"] = "ok" if health.heartbeats().get(heartbeats.BEAT, STALE_S) < STALE_S else "silent"
        connection.cursor().execute("select 1")
    except Error:
        parts = {"database": "unavailable"}
    ready = set(parts.values()) == {"ok"}
    response = JsonResponse({"status": "ok" if ready else "unavailable", **parts}, status=200 if ready else 503)
    # Asked every moment during a start; Django would log each 503 as an error.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


@login_not_required
@never_cache
@require_safe
def metrics_view(request: HttpRequest) -> HttpResponse:
    """Prometheus text, for whoever has the token or asks from this machine; else not found."""
    if not _may_scrape(request):
        return HttpResponse(status=404)
    try:
        backlog = health.backlog()
        text = metrics.render(
            jobs=backlog.by_state, oldest_s=backlog.oldest_pending_seconds, heartbeats=health.heartbeats()
        )
    except Error:
        return HttpResponse("the database does not answer\n", status=503, content_type="text/plain")
    return HttpResponse(text, content_type=CONTENT_TYPE_LATEST)


def migrated() -> bool:
    """Whether no migration is pending. Asked of the database until it is so, then remembered."""
    global _migrated
    if not _migrated:
        executor = MigrationExecutor(connection)
        _migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return _migrated


def _may_scrape(request: HttpRequest) -> bool:
    token = settings.BATON_METRICS_TOKEN
    sent = request.headers.get("Authorization", "")
    if token and hmac.compare_digest(sent.encode(), f"Bearer {token}".encode()):
        return True
    # Behind a proxy on this machine every visitor comes from the loopback address.
    if any(name in request.headers for name in ("Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via")):
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False
