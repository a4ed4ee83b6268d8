"""The audit log: who did or tried what, through what, where and when."""

from typing import Any

from django.db import models
from django.db.models.functions import Now

from workspace.models.agents import Agent
from workspace.models.documents import Document
from workspace.models.folders import Folder
from workspace.models.people import Person

ROW: dict[str, Any] = {
    "null": True,
    "editable": False,
    "db_constraint": False,
    "on_delete": models.DO_NOTHING,
    "related_name": "+",
}


class AuditEntry(models.Model):
    """One act or attempt. Append-only: a trigger refuses any change, and any removal before its time.

    Its references bind nothing, so that it outlives what it names.
    """

    at = models.DateTimeField(db_default=Now(), editable=False)
    action = models.CharField(max_length=48, editable=False)
    denied = models.BooleanField(default=False, editable=False)
    person = models.ForeignKey(Person, **ROW)
    agent = models.ForeignKey(Agent, **ROW)
    job = models.CharField(max_length=64, blank=True, editable=False)
    via = models.CharField(max_length=16, editable=False)
    request_id = models.CharField(max_length=64, blank=True, editable=False)
    address = models.GenericIPAddressField(null=True, editable=False)
    folder = models.ForeignKey(Folder, **ROW)
    document = models.ForeignKey(Document, **ROW)
    location = models.TextField(blank=True, editable=False)
    subject = models.TextField(blank=True, editable=False)
    """Whom or what it was done to, where that is no place: an address, a group, an agent, a client."""
    reason = models.TextField(blank=True, editable=False)
    data = models.JSONField(default=dict, editable=False)

    class Meta:
        verbose_name_plural = "audit log"
        indexes = [
            models.Index(fields=["-at", "-id"], name="audit_recent"),
            models.Index(fields=["folder", "-at"], name="audit_folder"),
            models.Index(fields=["person", "-at"], name="audit_person"),
            models.Index(fields=["action", "-at"], name="audit_action"),
        ]

    def __str__(self) -> str:
        return f"{self.action} {self.at:%Y-%m-%d %H:%M}"
