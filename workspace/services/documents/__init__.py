"""Every change of a document. Each function is one short transaction: access, lock, decide, rows, receipt."""

from workspace.services.documents.placing import delete, move, restore, undelete
from workspace.services.documents.request import ON_CONFLICT, OnConflict
from workspace.services.documents.writing import (
    append,
    create,
    edit,
    merge_in,
    replace_section,
    restore_section,
    substitute,
)

__all__ = [
    "ON_CONFLICT",
    "OnConflict",
    "append",
    "create",
    "delete",
    "edit",
    "merge_in",
    "move",
    "replace_section",
    "restore",
    "restore_section",
    "substitute",
    "undelete",
]
