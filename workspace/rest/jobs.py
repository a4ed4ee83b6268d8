"""Jobs: the work that is done in the background."""

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers
from rest_framework.request import Request

from workspace.errors import Forbidden, Invalid, NotFound
from workspace.queries import jobs as reads
from workspace.rest import parameters
from workspace.rest.answers import moment, nothing, page
from workspace.rest.endpoint import Endpoint
from workspace.rest.schema import PAGED, in_path, operation, page_of, query
from workspace.services import jobs


class JobOut(serializers.Serializer[Any]):
    """A piece of work on something that you can see."""

    id = serializers.CharField()
    kind = serializers.ChoiceField(choices=reads.KINDS)
    state = serializers.ChoiceField(choices=reads.STATES)
    location = serializers.CharField(allow_null=True, help_text="The document or folder that it is about.")
    target = serializers.CharField()
    attempts = serializers.IntegerField()
    due_at = serializers.DateTimeField()
    last_error = serializers.CharField()
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
    may_retry = serializers.BooleanField(help_text="Whether it failed and you may have it tried again.")


class Jobs(Endpoint):
    @operation(
        "listJobs",
        "List jobs",
        tag="background",
        ok=page_of(JobOut),
        parameters=[
            query("state", "Only those in this state.", enum=reads.STATES),
            query("kind", "Only those of this kind.", enum=reads.KINDS),
            *PAGED,
        ],
        refuses=[Invalid],
    )
    def get(self, request: Request) -> HttpResponse:
        """Newest first, of the documents and folders that you can see."""
        found = reads.listing(
            self.actor,
            state=parameters.word(request, "state", *reads.STATES),
            kind=parameters.word(request, "kind", *reads.KINDS),
            limit=parameters.limit(request),
            cursor=parameters.cursor(request),
        )
        return page(found, row)


class Retries(Endpoint):
    @operation(
        "retryJob",
        "Retry a job",
        tag="background",
        status=204,
        parameters=[in_path("id", "The job's id, job_…")],
        refuses=[NotFound, Forbidden],
    )
    def post(self, request: Request, id: str) -> HttpResponse:
        """Makes a failed job due at once, with all its tries. One that did not fail is left as it is. Needs editor."""
        jobs.retry(self.actor, job=id)
        return nothing()


def row(found: reads.JobRow) -> dict[str, Any]:
    """A job as ``JobOut``."""
    return {
        "id": found.id,
        "kind": found.kind,
        "state": found.state,
        "location": found.location or None,
        "target": found.target,
        "attempts": found.attempts,
        "due_at": moment(found.due_at),
        "last_error": found.last_error,
        "created_at": moment(found.created_at),
        "finished_at": moment(found.finished_at),
        "may_retry": found.may_retry,
    }
