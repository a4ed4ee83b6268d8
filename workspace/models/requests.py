"""Requests for access: somebody asks for a role at a place, those who can grant it answer."""

from django.db import models
from django.db.models.functions import Now

from workspace.models.agents import ROLES, Agent
from workspace.models.documents import Document
from workspace.models.folders import Folder
from workspace.models.ids import access_request_id
from workspace.models.people import Person


class RequestState(models.TextChoices):
    OPEN = "open"
    APPROVED = "approved"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class AccessRequest(models.Model):
    """``person`` asks for ``role`` at ``location``, as they typed it.

    A request for a place that does not exist is kept as well, with neither folder nor document: to whoever asked
    it looks like any other.
    """

    id = models.CharField(primary_key=True, max_length=32, default=access_request_id, editable=False)
    person = models.ForeignKey(Person, models.CASCADE, related_name="access_requests", editable=False)
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, editable=False, related_name="+")
    location = models.TextField(editable=False)
    # What is purged leaves the request be: to whoever asked it must look as if nothing had been there.
    folder = models.ForeignKey(Folder, models.SET_NULL, null=True, editable=False, related_name="access_requests")
    document = models.ForeignKey(Document, models.SET_NULL, null=True, editable=False, related_name="access_requests")
    role = models.PositiveSmallIntegerField(choices=ROLES, editable=False)
    reason = models.TextField(blank=True, editable=False)
    state = models.CharField(max_length=16, choices=RequestState, default=RequestState.OPEN, editable=False)
    created_at = models.DateTimeField(db_default=Now(), editable=False)
    decided_at = models.DateTimeField(null=True, editable=False)
    decided_by = models.ForeignKey(Person, models.PROTECT, null=True, editable=False, related_name="+")
    granted_role = models.PositiveSmallIntegerField(choices=ROLES, null=True, editable=False)
    answer = models.TextField(blank=True, editable=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["person", "location"], condition=models.Q(state="open"), name="access_request_open_once"
            ),
            models.CheckConstraint(
                condition=models.Q(folder=None) | models.Q(document=None), name="access_request_one_place"
            ),
        ]
        indexes = [
            models.Index(fields=["folder"], condition=models.Q(state="open"), name="access_request_folder"),
            models.Index(fields=["document"], condition=models.Q(state="open"), name="access_request_document"),
        ]

    def __str__(self) -> str:
        return f"{self.get_role_display()} of {self.location} for {self.person.email}"
