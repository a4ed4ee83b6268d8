"""Which folder belongs to which repository."""

from django.db import models
from django.db.models.functions import Lower, Now

from workspace.models.folders import Folder
from workspace.models.ids import binding_id
from workspace.models.people import Person

LEAST_DEADLINE_MS, MOST_DEADLINE_MS = 100, 15_000
LEAST_BUDGET_CHARS, MOST_BUDGET_CHARS = 200, 100_000
DEFAULT_DEADLINE_MS, DEFAULT_BUDGET_CHARS = 2_000, 8_000
"""Where nobody says otherwise; for a prompt without a binding too."""


class BindingPolicy(models.TextChoices):
    """What a host does with a prompt where nothing can be had from the folder."""

    OPTIONAL = "optional"
    REQUIRED = "required"


class CaptureMode(models.TextChoices):
    """Whether a host saves its sessions by itself, and whether each waits for its person's word first."""

    OFF = "off"
    ASK = "ask"
    ON = "on"


class Binding(models.Model):
    """The folder that hosts read from, and save to, in a checkout of ``repository``: of one person, or with no person
    the instance's default for everybody who has none of their own and may read the folder."""

    id = models.CharField(primary_key=True, max_length=32, default=binding_id, editable=False)
    person = models.ForeignKey(
        Person, models.CASCADE, null=True, blank=True, related_name="bindings", help_text="Empty for everybody."
    )
    repository = models.CharField(max_length=300, help_text="Such as github.com/acme/shop.")
    folder = models.ForeignKey(Folder, models.CASCADE, related_name="bindings")
    location = models.TextField(editable=False)
    """Where the folder stood when it was bound, for a person who no longer sees it."""
    policy = models.CharField(max_length=16, choices=BindingPolicy, default=BindingPolicy.OPTIONAL)
    deadline_ms = models.PositiveIntegerField("deadline in milliseconds", default=DEFAULT_DEADLINE_MS)
    budget_chars = models.PositiveIntegerField("budget in characters", default=DEFAULT_BUDGET_CHARS)
    capture = models.CharField(max_length=8, choices=CaptureMode, default=CaptureMode.OFF, editable=False)
    capture_at = models.DateTimeField(null=True, blank=True, editable=False)
    """When the person last switched ``capture``."""
    updated_at = models.DateTimeField(db_default=Now(), editable=False)

    class Meta:
        constraints = [
            # The large forges take names in any case.
            models.UniqueConstraint(
                "person", Lower("repository"), nulls_distinct=False, name="binding_repository_once"
            ),
            models.CheckConstraint(condition=models.Q(policy__in=BindingPolicy.values), name="binding_policy_known"),
            models.CheckConstraint(
                condition=models.Q(deadline_ms__range=(LEAST_DEADLINE_MS, MOST_DEADLINE_MS)), name="binding_deadline"
            ),
            models.CheckConstraint(
                condition=models.Q(budget_chars__range=(LEAST_BUDGET_CHARS, MOST_BUDGET_CHARS)), name="binding_budget"
            ),
            # Saving sessions is a person's own decision, at a time that is known.
            models.CheckConstraint(
                condition=models.Q(capture=CaptureMode.OFF)
                | models.Q(capture__in=CaptureMode.values, person__isnull=False, capture_at__isnull=False),
                name="binding_capture_decided",
            ),
        ]

    def __str__(self) -> str:
        return self.repository
