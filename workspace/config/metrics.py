"""Prometheus metrics: requests by kind of route, and the backlog of jobs.

With several web processes the counts are shared through files (PROMETHEUS_MULTIPROC_DIR, which the
supervisor sets and empties).
"""

import os

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

REQUESTS = Counter("baton_requests", "Requests answered.", ["route", "method", "status"])
LATENCY = Histogram(
    "baton_request_seconds",
    "Time to the first byte of the answer.",
    ["route"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30),
)

PREFIXES = (
    ("/api/", "rest"),
    ("/mcp", "mcp"),
    ("/static/", "static"),
    ("/admin/", "admin"),
    ("/healthz", "probe"),
    ("/readyz", "probe"),
    ("/metrics", "probe"),
)


def route_class(path: str) -> str:
    """A handful of names: a label by path would make a series for every document, and tell their names."""
    return next((name for prefix, name in PREFIXES if path.startswith(prefix)), "web")


def render(*, jobs: dict[str, int], oldest_s: float | None, heartbeats: dict[str, float]) -> bytes:
    """The text that Prometheus scrapes."""
    registry = CollectorRegistry()
    count = Gauge("baton_jobs", "Jobs that are not done, by state.", ["state"], registry=registry)
    for state in ("pending", "running", "failed"):
        count.labels(state).set(jobs.get(state, 0))
    oldest = Gauge("baton_oldest_pending_job_seconds", "Age of the oldest pending job.", registry=registry)
    oldest.set(oldest_s or 0)
    seen = Gauge("baton_heartbeat_age_seconds", "Time since a part showed that it lives.", ["part"], registry=registry)
    for part, age in heartbeats.items():
        seen.labels(part).set(age)
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        shared = CollectorRegistry()
        multiprocess.MultiProcessCollector(shared)  # type: ignore[no-untyped-call]
        return generate_latest(shared) + generate_latest(registry)
    shared = CollectorRegistry()
    shared.register(REQUESTS)
    shared.register(LATENCY)
    return generate_latest(shared) + generate_latest(registry)
