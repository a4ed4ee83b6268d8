"""Background work, as people see it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from workspace.queries import jobs
from workspace.services import jobs as services
from workspace.web.frame import page, person


def index(request: HttpRequest) -> HttpResponse:
    """Jobs about what the person can read."""
    state = request.GET.get("state")
    state = state if state in jobs.STATES else None
    rows = jobs.listing(person(request), state=state, limit=50, cursor=request.GET.get("cursor"))
    return page(request, "job/list.html", {"page": rows, "states": jobs.STATES, "chosen": state}, section="jobs")


def retry(request: HttpRequest, job_id: str) -> HttpResponse:
    """Try a failed job again now."""
    services.retry(person(request), job=job_id)
    messages.success(request, "It is tried again.")
    return redirect("jobs")
