"""What can be asked by a name or an id, on every surface: one line for each form of a call.

``{folder} {document} {lost} {id} {commit} {conflict} {capture} {job} {agent} {request} {invitation} {receipt} {group}
{person} {email} {top}`` name one thing of each kind, ``{proposal} {binding} {repository}`` what is another's alone in a
folder of the caller's, ``{mine} {own} {own_commit}`` what the caller has.
``test_property`` fills them with what is hidden and with what never was; it fails where a route or an argument is in no
line.
"""

from dataclasses import dataclass, field
from typing import Any

V1 = "/api/v1"


@dataclass(frozen=True)
class Asked:
    """One call. ``body`` is JSON for REST, a form for a page."""

    method: str
    path: str
    body: dict[str, Any] | None = None
    headers: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.method} {self.path} {self.body or ''}".strip()


def _rest(method: str, path: str, body: dict[str, Any] | None = None, **headers: str) -> Asked:
    return Asked(method, V1 + path, body, {name.replace("_", "-"): value for name, value in headers.items()})


_KEY = "Idempotency-Key"
REST: list[Asked] = [
    _rest("GET", "/folders?parent={folder}"),
    _rest("GET", "/folders?parent={top}"),
    _rest("POST", "/folders", {"location": "{folder}"}),
    _rest("POST", "/folders", {"location": "{folder}/x"}),
    _rest("GET", "/folders/{folder}"),
    _rest("GET", "/folders/{top}"),
    _rest("HEAD", "/folders/{folder}"),
    _rest("PATCH", "/folders/{folder}", {"retention_days": 3}),
    _rest("PATCH", "/folders/{folder}", {"editors_share": False}),
    _rest("DELETE", "/folders/{folder}"),
    _rest("GET", "/documents?location={folder}"),
    _rest("GET", "/documents?location={top}&recursive=true"),
    _rest("GET", "/documents?location={folder}&type=note&label=x"),
    _rest("POST", "/documents", {"location": "{folder}/x.md", "content": "x"}, Idempotency_Key="k"),
    _rest("POST", "/documents", {"location": "{document}", "content": "x"}, Idempotency_Key="k"),
    _rest("POST", "/documents", {"location": "{document}/x.md", "content": "x"}, Idempotency_Key="k"),
    _rest("GET", "/documents/{document}"),
    _rest("GET", "/documents/{document}", If_None_Match='"{commit}"'),
    _rest("GET", "/documents/{document}?at={commit}"),
    _rest("GET", "/documents/{document}?lines=1-2"),
    _rest("GET", "/documents/{lost}"),
    _rest("GET", "/documents/{own}?at={commit}"),
    _rest("HEAD", "/documents/{document}"),
    _rest("PUT", "/documents/{document}", {"content": "x"}, If_Match='"{commit}"', Idempotency_Key="k"),
    _rest("PUT", "/documents/{own}", {"content": "x"}, If_Match='"{commit}"'),
    _rest("PATCH", "/documents/{document}", {"append": "x"}, Idempotency_Key="k"),
    _rest("PATCH", "/documents/{document}", {"old_string": "x", "new_string": "y"}, If_Match='"{commit}"'),
    _rest("PATCH", "/documents/{document}", {"section": "x", "content": "y"}),
    _rest("PATCH", "/documents/{own}", {"append": "x"}, If_Match='"{commit}"'),
    _rest("DELETE", "/documents/{document}", If_Match='"{commit}"', Idempotency_Key="k"),
    _rest("DELETE", "/documents/{own}", If_Match='"{commit}"'),
    _rest("POST", "/undeletes", {"location": "{document}"}),
    _rest("POST", "/undeletes", {"location": "{lost}"}, Idempotency_Key="k"),
    _rest("POST", "/moves", {"from": "{own}", "to": "{folder}/x.md"}),
    _rest("POST", "/moves", {"from": "{own}", "to": "{document}"}),
    _rest("POST", "/moves", {"from": "{mine}", "to": "{folder}/x"}),
    _rest("POST", "/moves", {"from": "{mine}", "to": "{folder}"}),
    _rest("POST", "/moves", {"from": "{folder}", "to": "{mine}/x"}),
    _rest("POST", "/moves", {"from": "{document}", "to": "{mine}/x.md"}, Idempotency_Key="k"),
    _rest("POST", "/moves", {"from": "{document}", "to": "{document}", "expected_commit": "{commit}"}),
    _rest("POST", "/moves", {"from": "{own}", "to": "{mine}/y.md", "expected_commit": "{commit}"}),
    _rest("POST", "/restores", {"location": "{document}", "commit": "{commit}"}, Idempotency_Key="k"),
    _rest("POST", "/restores", {"location": "{own}", "commit": "{commit}"}),
    _rest("POST", "/restores", {"location": "{document}", "commit": "{commit}", "section": "x"}, Idempotency_Key="k"),
    _rest("POST", "/restores", {"location": "{own}", "commit": "{commit}", "section": "x", "on_conflict": "merge"}),
    _rest("POST", "/restores", {"location": "{own}", "commit": "{commit}", "section": "x", "confirm_shrink": True}),
    _rest("POST", "/restores", {"location": "{own}", "commit": "{own_commit}", "expected_commit": "{commit}"}),
    _rest("POST", "/restores", {"location": "{document}", "commit": "{commit}", "confirm_shrink": True}),
    _rest("GET", "/commits?location={document}"),
    _rest("GET", "/commits?location={lost}"),
    _rest("GET", "/commits/{commit}"),
    _rest("GET", "/diff?location={document}&from={commit}&to={commit}"),
    _rest("GET", "/diff?location={own}&from={commit}"),
    _rest("GET", "/diff?location={own}&to={commit}"),
    _rest("GET", "/blame?location={document}&at={commit}"),
    _rest("GET", "/blame?location={own}&at={commit}"),
    _rest("GET", "/conflicts?location={document}"),
    _rest("GET", "/conflicts?location={folder}&state=open"),
    _rest("GET", "/conflicts/{conflict}"),
    _rest("DELETE", "/conflicts/{conflict}?reason=x"),
    _rest("POST", "/conflicts/{conflict}/resolution", {"choices": ["mine"]}, Idempotency_Key="k"),
    _rest("POST", "/conflicts/{conflict}/resolution", {"content": "x", "expected_commit": "{commit}"}),
    _rest("POST", "/conflicts/{conflict}/resolution", {"content": "x", "confirm_drop": True}),
    _rest("POST", "/conflicts/{conflict}/resolution", {"choices": [{"hunk": 0, "choice": "suggestion"}]}),
    _rest("POST", "/conflicts/{conflict}/resolution", {"choices": [{"text": "x"}], "confirm_drop": True}),
    _rest("GET", "/search?q=commonplace&location={folder}"),
    _rest("GET", "/search?q=commonplace&location={top}"),
    _rest("GET", "/search?q=commonplace&location={document}&mode=titles"),
    _rest("GET", "/captures?folder={folder}"),
    _rest("GET", "/captures?folder={top}"),
    _rest("POST", "/captures", {"folder": "{folder}", "content": "x", "operation_id": "k"}),
    _rest("GET", "/captures/{capture}"),
    _rest("DELETE", "/captures/{capture}"),
    _rest("POST", "/captures", {"folder": "{folder}", "content": "x", "operation_id": "k", "propose": True}),
    _rest("GET", "/captures?folder={folder}&state=proposed"),
    _rest("GET", "/captures/{proposal}"),
    _rest("DELETE", "/captures/{proposal}"),
    _rest("GET", "/receipts?capture={proposal}"),
    _rest("POST", "/captures/{capture}/approve"),
    _rest("POST", "/captures/{proposal}/approve"),
    _rest("GET", "/bindings?repository={repository}"),
    _rest("POST", "/bindings", {"repository": "github.com/acme/shop", "folder": "{folder}"}),
    _rest("POST", "/bindings", {"repository": "{repository}", "folder": "{document}"}),
    _rest("DELETE", "/bindings/{binding}"),
    _rest("GET", "/grants?location={folder}"),
    _rest("GET", "/grants?location={document}"),
    _rest("POST", "/grants", {"location": "{folder}", "subject": "caller@example.org", "role": "viewer"}),
    _rest("POST", "/grants", {"location": "{document}", "subject": "caller@example.org", "role": "viewer"}),
    _rest("DELETE", "/grants?location={folder}&subject=owner@example.org"),
    _rest("DELETE", "/grants?location={document}&subject=caller@example.org&preview=true"),
    _rest("DELETE", "/grants?location={document}&subject=caller@example.org&confirm_token=x"),
    _rest(
        "POST", "/grants", {"location": "{folder}", "subject": "friend@example.org", "role": "viewer", "preview": True}
    ),
    _rest(
        "POST",
        "/grants",
        {"location": "{document}", "subject": "friend@example.org", "role": "viewer", "confirm_token": "x"},
    ),
    _rest("GET", "/access?location={folder}"),
    _rest("GET", "/access?location={document}"),
    _rest("GET", "/access-requests?location={folder}"),
    _rest("GET", "/access-requests?location={document}"),
    _rest("POST", "/access-requests", {"location": "{folder}", "role": "viewer"}),
    _rest("POST", "/access-requests", {"location": "{document}", "role": "editor", "reason": "x"}),
    _rest("POST", "/access-requests", {"location": "{lost}", "role": "editor"}),
    _rest("POST", "/access-requests", {"location": "{top}", "role": "manager"}),
    _rest("DELETE", "/access-requests/{request}"),
    _rest("POST", "/access-requests/{request}/decision", {"approve": True, "preview": True}),
    _rest("POST", "/access-requests/{request}/decision", {"approve": True, "role": "viewer", "confirm_token": "x"}),
    _rest("POST", "/access-requests/{request}/decision", {"approve": False, "answer": "x"}),
    _rest("GET", "/audit?place={folder}"),
    _rest("GET", "/audit?place={document}"),
    _rest("GET", "/audit?place={top}&denied=true"),
    _rest("GET", "/audit?agent={agent}"),
    _rest("GET", "/audit?person={email}"),
    _rest("GET", "/receipts?location={folder}"),
    _rest("GET", "/receipts?location={document}&kind=written"),
    _rest("GET", "/receipts?capture={capture}"),
    _rest("GET", "/receipts?agent={agent}"),
    _rest("POST", "/receipts", {"receipt": "{receipt}", "stage": "attached"}),
    _rest("POST", "/context", {"prompt": "commonplace", "location": "{folder}"}),
    _rest("POST", "/context", {"prompt": "commonplace", "location": "{document}"}),
    _rest("POST", "/context", {"prompt": "", "location": "{top}"}),
    _rest("GET", "/brief?location={folder}"),
    _rest("GET", "/brief?location={top}"),
    _rest("POST", "/revalidate", {"citations": ["{document}@{commit}", "{own}@{commit}#L1"]}),
    _rest("POST", "/jobs/{job}/retry"),
]

TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("browse", {"action": "folders", "location": "{folder}"}),
    ("browse", {"action": "folders", "location": "{top}"}),
    ("browse", {"action": "documents", "location": "{folder}"}),
    ("browse", {"action": "documents", "location": "{top}", "type": "note", "label": "x"}),
    ("browse", {"action": "people", "location": "{folder}"}),
    ("browse", {"action": "people", "location": "{document}", "group": "team 0"}),
    ("read", {"location": "{document}"}),
    ("read", {"location": "{lost}"}),
    ("read", {"node": "{id}"}),
    ("read", {"location": "{document}", "at": "{commit}"}),
    ("read", {"location": "{own}", "at": "{commit}"}),
    ("search", {"query": "commonplace", "scope": "{folder}"}),
    ("search", {"query": "commonplace", "scope": "{top}", "how": "titles"}),
    ("search", {"query": "commonplace", "within": "{document}"}),
    ("doc_create", {"action": "document", "folder_path": ["{folder}"], "name": "x.md", "content": "x"}),
    ("doc_create", {"action": "document", "folder_path": ["{folder}", "deeper"], "name": "x.md", "content": "x"}),
    ("doc_create", {"action": "document", "folder_path": ["{document}"], "name": "x.md", "content": "x"}),
    ("doc_create", {"action": "folder", "folder_path": ["{folder}"], "name": "x", "idempotency_key": "k"}),
    ("doc_create", {"action": "folder", "folder_path": ["{folder above}"], "name": "{folder name}"}),
    *(
        ("doc_update", {"action": action, "location": location, "expected_commit": "{commit}", **more})
        for action, more in (
            ("replace", {"content": "x", "idempotency_key": "k"}),
            ("edit", {"old_string": "x", "new_string": "y", "on_conflict": "merge"}),
            ("append", {"content": "x"}),
            ("section", {"section": "x", "content": "y"}),
            ("restore", {"commit": "{commit}"}),
            ("restore", {"commit": "{commit}", "confirm_shrink": True}),
            ("restore", {"commit": "{commit}", "section": "x", "on_conflict": "merge", "confirm_shrink": True}),
        )
        for location in ("{document}", "{lost}", "{own}")
    ),
    ("doc_update", {"action": "append", "location": "{document}", "content": "x", "idempotency_key": "k"}),
    ("doc_update", {"action": "restore", "location": "{lost}"}),
    ("doc_update", {"action": "restore", "location": "{own}", "commit": "{commit}"}),
    ("doc_update", {"action": "restore", "location": "{own}", "commit": "{commit}", "section": "x"}),
    ("doc_update", {"action": "move", "location": "{own}", "to": "{folder}/x.md"}),
    ("doc_update", {"action": "move", "location": "{own}", "to": "{document}", "expected_commit": "{commit}"}),
    ("doc_update", {"action": "move", "location": "{mine}", "to": "{folder}/x"}),
    ("doc_update", {"action": "move", "location": "{folder}", "to": "{mine}/x", "idempotency_key": "k"}),
    ("doc_update", {"action": "move", "location": "{document}", "to": "{mine}/x.md"}),
    ("doc_delete", {"location": "{folder}"}),
    ("doc_delete", {"location": "{top}"}),
    ("doc_delete", {"location": "{document}"}),
    ("doc_delete", {"location": "{document}", "confirm_token": "x"}),
    ("history", {"action": "log", "location": "{document}"}),
    ("history", {"action": "log", "location": "{lost}"}),
    ("history", {"action": "show", "location": "{document}", "commit": "{commit}"}),
    ("history", {"action": "show", "location": "{own}", "commit": "{commit}"}),
    ("history", {"action": "diff", "location": "{document}", "from": "{commit}", "to": "{commit}"}),
    ("history", {"action": "diff", "location": "{own}", "from": "{commit}"}),
    ("history", {"action": "diff", "location": "{own}", "to": "{commit}"}),
    ("history", {"action": "blame", "location": "{document}"}),
    ("history", {"action": "blame", "location": "{own}", "at": "{commit}"}),
    ("conflict", {"action": "list", "location": "{document}"}),
    ("conflict", {"action": "list", "location": "{folder}", "state": "open"}),
    ("conflict", {"action": "show", "conflict_id": "{conflict}"}),
    ("conflict", {"action": "show", "conflict_id": "{conflict}", "cursor": "hunk-0-mine-1-{commit}"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "choices": ["mine"], "idempotency_key": "k"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "content": "x", "expected_commit": "{commit}"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "choices": [{"hunk": 0, "choice": "theirs"}]}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "content": "x", "confirm_token": "x"}),
    ("conflict", {"action": "resolve", "conflict_id": "{conflict}", "choices": [{"text": "x"}], "confirm_token": "x"}),
    ("conflict", {"action": "discard", "conflict_id": "{conflict}"}),
    ("capture", {"action": "commit", "folder": "{folder}", "content": "x", "operation_id": "k"}),
    ("capture", {"action": "list", "folder": "{folder}"}),
    ("capture", {"action": "list", "folder": "{top}"}),
    ("capture", {"action": "delete", "capture_id": "{capture}"}),
    ("capture", {"action": "delete", "capture_id": "{proposal}"}),
    ("context", {"prompt": "commonplace", "location": "{folder}"}),
    ("context", {"prompt": "commonplace", "location": "{document}"}),
    ("context", {"prompt": "", "location": "{top}"}),
    ("brief_me", {"location": "{folder}"}),
    ("brief_me", {"location": "{top}"}),
    ("revalidate", {"citations": ["{document}@{commit}", "{own}@{commit}#L1"]}),
    ("access_read", {"location": "{folder}"}),
    ("access_read", {"action": "who", "location": "{document}"}),
    ("access_read", {"action": "requests", "location": "{folder}"}),
    ("access_grant", {"location": "{folder}", "subject": "friend@example.org", "role": "viewer"}),
    ("access_grant", {"location": "{document}", "subject": "caller@example.org", "role": "viewer"}),
    (
        "access_grant",
        {"location": "{folder}", "subject": "friend@example.org", "role": "viewer", "confirm_token": "x"},
    ),
    ("access_grant", {"action": "request", "location": "{folder}", "role": "viewer", "reason": "x"}),
    ("access_grant", {"action": "request", "location": "{lost}", "role": "viewer"}),
    ("access_grant", {"action": "approve", "request_id": "{request}"}),
    ("access_grant", {"action": "approve", "request_id": "{request}", "role": "viewer", "confirm_token": "x"}),
    ("access_revoke", {"location": "{folder}", "subject": "owner@example.org"}),
    ("access_revoke", {"location": "{document}", "subject": "owner@example.org", "confirm_token": "x"}),
    ("access_revoke", {"action": "decline", "request_id": "{request}", "reason": "x"}),
    ("access_revoke", {"action": "withdraw", "request_id": "{request}"}),
]

MAKES = frozenset({
    f"{V1}/folders", f"{V1}/documents", f"{V1}/moves", "/new/folder", "/new/document/{folder}", "/new/document/{mine}",
    "/move/{own}", "/move/{mine}", "doc_create", "doc_update move",
})  # fmt: skip
"""Calls that make what is missing on the way to what they name, so that below what never was they succeed."""


def makes(asked: "Asked | tuple[str, dict[str, Any]]") -> bool:
    if isinstance(asked, Asked):
        return asked.method == "POST" and asked.path in MAKES
    return asked[0] in MAKES or f"{asked[0]} {asked[1].get('action')}" in MAKES


LISTS: list[Asked] = [
    _rest("GET", "/me"),
    _rest("GET", "/folders"),
    _rest("GET", "/documents?recursive=true"),
    _rest("GET", "/captures"),
    _rest("GET", "/captures?state=proposed"),
    _rest("GET", "/bindings"),
    _rest("GET", "/conflicts"),
    _rest("GET", "/receipts"),
    _rest("GET", "/jobs"),
    _rest("GET", "/audit"),
    _rest("GET", "/audit?denied=true"),
    _rest("GET", "/access-requests"),
    _rest("GET", "/access-requests?list=mine"),
    _rest("GET", "/search?q=commonplace&limit=100"),
    _rest("POST", "/context", {"prompt": "commonplace", "budget_chars": 100_000}),
    _rest("GET", "/brief"),
]
"""What answers without a name: everything in it is the caller's to see."""

LISTING_TOOLS: list[tuple[str, dict[str, Any]]] = [
    ("browse", {"action": "folders"}),
    ("browse", {"action": "documents", "limit": 100}),
    ("browse", {"action": "people"}),
    ("search", {"query": "commonplace", "limit": 100}),
    ("context", {"prompt": "commonplace", "budget_chars": 100_000}),
    ("brief_me", {}),
    ("conflict", {"action": "list"}),
    ("capture", {"action": "list"}),
    ("identity", {"action": "self"}),
    ("identity", {"action": "tree"}),
    ("access_read", {"action": "requests"}),
    ("access_read", {"action": "mine"}),
]
