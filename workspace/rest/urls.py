"""Addresses of the REST interface. What is below ``/api`` and no call is a problem, not a page."""

from django.urls import path, register_converter

from workspace.rest.access import Access
from workspace.rest.access_requests import AccessRequest, AccessRequests, Decisions
from workspace.rest.audit import Audit
from workspace.rest.bindings import Binding, Bindings
from workspace.rest.blame import Blame
from workspace.rest.brief import Brief
from workspace.rest.captures import Approvals, Capture, Captures
from workspace.rest.commits import Commit, Commits
from workspace.rest.conflicts import Conflict, Conflicts, Resolutions
from workspace.rest.context import Context, Revalidations
from workspace.rest.diff import Diff
from workspace.rest.docs import Docs
from workspace.rest.documents import Document, Documents
from workspace.rest.endpoint import Unknown
from workspace.rest.folders import Folder, Folders
from workspace.rest.grants import Grants
from workspace.rest.jobs import Jobs, Retries
from workspace.rest.me import Me
from workspace.rest.moves import Moves, Restores, Undeletes
from workspace.rest.openapi import OpenApiDocument
from workspace.rest.receipts import Receipts
from workspace.rest.search import Search


class Anything:
    """The rest of a path, whatever it holds: doubled slashes and line breaks are for the location to refuse."""

    regex = "(?s:.*)"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return value


register_converter(Anything, "anything")

V1 = "api/v1/"
urlpatterns = [
    path(V1 + "me", Me.as_view()),
    path(V1 + "folders", Folders.as_view()),
    path(V1 + "folders/<anything:location>", Folder.as_view()),
    path(V1 + "documents", Documents.as_view()),
    path(V1 + "documents/<anything:location>", Document.as_view()),
    path(V1 + "undeletes", Undeletes.as_view()),
    path(V1 + "moves", Moves.as_view()),
    path(V1 + "restores", Restores.as_view()),
    path(V1 + "commits", Commits.as_view()),
    path(V1 + "commits/<slug:id>", Commit.as_view()),
    path(V1 + "diff", Diff.as_view()),
    path(V1 + "blame", Blame.as_view()),
    path(V1 + "conflicts", Conflicts.as_view()),
    path(V1 + "conflicts/<slug:id>", Conflict.as_view()),
    path(V1 + "conflicts/<slug:id>/resolution", Resolutions.as_view()),
    path(V1 + "search", Search.as_view()),
    path(V1 + "brief", Brief.as_view()),
    path(V1 + "context", Context.as_view()),
    path(V1 + "revalidate", Revalidations.as_view()),
    path(V1 + "captures", Captures.as_view()),
    path(V1 + "captures/<slug:id>", Capture.as_view()),
    path(V1 + "captures/<slug:id>/approve", Approvals.as_view()),
    path(V1 + "bindings", Bindings.as_view()),
    path(V1 + "bindings/<slug:id>", Binding.as_view()),
    path(V1 + "grants", Grants.as_view()),
    path(V1 + "access", Access.as_view()),
    path(V1 + "access-requests", AccessRequests.as_view()),
    path(V1 + "access-requests/<slug:id>", AccessRequest.as_view()),
    path(V1 + "access-requests/<slug:id>/decision", Decisions.as_view()),
    path(V1 + "receipts", Receipts.as_view()),
    path(V1 + "audit", Audit.as_view()),
    path(V1 + "jobs", Jobs.as_view()),
    path(V1 + "jobs/<slug:id>/retry", Retries.as_view()),
    path(V1 + "openapi.json", OpenApiDocument.as_view()),
    path(V1 + "docs", Docs.as_view()),
    path("api", Unknown.as_view()),
    path("api/<anything:path>", Unknown.as_view()),
]
