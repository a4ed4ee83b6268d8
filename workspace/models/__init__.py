"""The schema, its invariants and the permission-scoped QuerySets."""

from workspace.models.agents import Agent, AgentScope, AgentToken, Connection
from workspace.models.audit import AuditEntry
from workspace.models.bindings import Binding, BindingPolicy, CaptureMode
from workspace.models.blame import Blame, BlameMark
from workspace.models.briefs import BriefMark
from workspace.models.captures import Capture, Summary
from workspace.models.chunks import Chunk
from workspace.models.conflicts import Conflict, ConflictState, Settling
from workspace.models.documents import Blob, Commit, CommitKind, Document
from workspace.models.drafts import Draft
from workspace.models.folders import Folder, Grant
from workspace.models.invitations import Invitation
from workspace.models.jobs import Heartbeat, Job, JobKind, JobState
from workspace.models.people import Group, Membership, Nesting, Person, SignInLink
from workspace.models.reach import Reach
from workspace.models.receipts import STAGES, IdempotencyKey, Receipt, ReceiptKind
from workspace.models.requests import AccessRequest, RequestState

__all__ = [
    "STAGES",
    "AccessRequest",
    "Agent",
    "AgentScope",
    "AgentToken",
    "AuditEntry",
    "Binding",
    "BindingPolicy",
    "Blame",
    "BlameMark",
    "Blob",
    "BriefMark",
    "Capture",
    "CaptureMode",
    "Chunk",
    "Commit",
    "CommitKind",
    "Conflict",
    "ConflictState",
    "Connection",
    "Document",
    "Draft",
    "Folder",
    "Grant",
    "Group",
    "Heartbeat",
    "IdempotencyKey",
    "Invitation",
    "Job",
    "JobKind",
    "JobState",
    "Membership",
    "Nesting",
    "Person",
    "Reach",
    "Receipt",
    "ReceiptKind",
    "RequestState",
    "Settling",
    "SignInLink",
    "Summary",
]
