"""The Django admin: every row can be looked at; what may be changed is changed by a service."""

from workspace.admin import access, agents, applications, audit, background, captures, documents, invitations, people
from workspace.admin.site import site

__all__ = [
    "access",
    "agents",
    "applications",
    "audit",
    "background",
    "captures",
    "documents",
    "invitations",
    "people",
    "site",
]
