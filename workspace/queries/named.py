"""Finding a commit by its id, or by the beginning of it."""

import re
from typing import TYPE_CHECKING

from workspace.errors import Invalid
from workspace.models import Commit

if TYPE_CHECKING:
    from django.db.models import QuerySet

_ID = re.compile(r"[0-9a-f]{7,64}\Z")


def commit(rows: "QuerySet[Commit]", name: object, *, field: str) -> Commit | None:
    """The one of ``rows`` whose id is ``name`` or begins with it (7 to 64 hex characters); None where none does.

    Raises ``Invalid`` naming ``field`` where ``name`` is malformed or the beginning of several.
    """
    if not isinstance(name, str) or not _ID.match(name):
        raise Invalid(field, "must be a commit id: 64 hex characters, or the first 7 or more.")
    found = list(rows.filter(id__startswith=name)[:2])
    if len(found) > 1:
        raise Invalid(field, "is the beginning of several commits. Give more characters.")
    return found[0] if found else None
