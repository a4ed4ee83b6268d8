"""The schema, its invariants and the permission-scoped QuerySets."""

from workspace.models.agents import Agent, AgentScope, AgentToken
from workspace.models.captures import Capture, Summary
from workspace.models.chunks import Chunk
from workspace.models.conflicts import Conflict, ConflictState
from workspace.models.documents import Blob, Commit, CommitKind, Document
from workspace.models.folders import Folder, Grant
from workspace.models.jobs import Heartbeat, Job, JobKind, JobState
from workspace.models.people import Group, Membership, Person, SignInLink
from workspace.models.reach import Reach
from workspace.models.receipts import IdempotencyKey, Receipt, ReceiptKind

__all__ = [
    "Agent",
    "AgentScope",
    "AgentToken",
    "Blob",
    "Capture",
    "Chunk",
    "Commit",
    "CommitKind",
    "Conflict",
    "ConflictState",
    "Document",
    "Folder",
    "Grant",
    "Group",
    "Heartbeat",
    "IdempotencyKey",
    "Job",
    "JobKind",
    "JobState",
    "Membership",
    "Person",
    "Reach",
    "Receipt",
    "ReceiptKind",
    "SignInLink",
    "Summary",
]
