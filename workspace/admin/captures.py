"""What agents saved of their sessions, and which folder belongs to which repository."""

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from workspace.admin.records import AgentFilter, DeletedFilter, Guarded, Record, ViaFilter, act, actor_of, author
from workspace.admin.site import site
from workspace.models import Binding, Capture, Folder, Summary
from workspace.services import bindings, captures


class ProposedFilter(admin.SimpleListFilter):
    """Only proposed to its author, or kept."""

    title = "proposal"
    parameter_name = "proposed"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("waits", "not approved"), ("approved", "approved")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        return queryset.filter(proposed_at__isnull=False, approved_at__isnull=self.value() == "waits")


@admin.register(Capture, site=site)
class CaptureAdmin(Record):
    list_display = (
        "id",
        "folder",
        "writer",
        "host",
        "event",
        "redactions",
        "created_at",
        "proposed_at",
        "approved_at",
        "deleted_at",
    )
    list_select_related = ("folder", "author", "agent")
    list_defer = ("content",)
    list_filter = (DeletedFilter, ProposedFilter, ViaFilter, AgentFilter, "created_at")
    search_fields = ("id__startswith", "folder__path", "session__startswith", "author__email__istartswith")
    search_help_text = "The beginning of an id, session or address, or a part of a folder's location"
    ordering = ("-created_at", "id")
    actions = ("erase",)

    @admin.display(description="author", ordering="author")
    def writer(self, row: Capture) -> str:
        return author(row)

    @admin.display(description="content")
    def text(self, row: Capture) -> str:
        return "Proposed to its author, who alone reads it." if row.proposed else row.content

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return ["text" if name == "content" else name for name in super().get_fields(request, obj)]

    @admin.action(description="Erase the content of the selected captures", permissions=["act"])
    def erase(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(deleted_at=None).values_list("pk", flat=True)),
            lambda pk: captures.erase(actor, capture=pk),
            done="erased",
        )


@admin.register(Summary, site=site)
class SummaryAdmin(Record):
    list_display = ("capture", "engine", "created_at")
    list_select_related = ("capture",)
    list_defer = ("lines", "capture__content")
    search_fields = ("capture__id__startswith", "engine__startswith")
    search_help_text = "The beginning of a capture's id or an engine's name"
    ordering = ("-created_at", "id")


class DefaultForm(forms.ModelForm):
    """The instance's default for one repository."""

    place = forms.CharField(label="Folder", max_length=7000, help_text="Its location, such as product/launch.")

    class Meta:
        model = Binding
        fields = ("repository", "policy", "deadline_ms", "budget_chars")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.folder_id and "repository" in self.fields:
            self.fields["place"].initial = self.instance.folder.path
            # It names the row: another repository is another default.
            self.fields["repository"].disabled = True

    def validate_unique(self) -> None:
        """Left to the service, which changes the one that is there."""

    def validate_constraints(self) -> None:
        """Left to the service, which says what each field takes."""


@admin.register(Binding, site=site)
class BindingAdmin(Guarded, Record):
    """Bindings of people are looked at. The instance's defaults, of nobody, are set and removed here."""

    form = DefaultForm
    list_display = ("repository", "whose", "folder", "policy", "capture", "updated_at")
    list_select_related = ("person", "folder")
    list_filter = (("person", admin.EmptyFieldListFilter), "policy", "capture", "updated_at")
    search_fields = ("repository", "folder__path", "person__email__istartswith")
    search_help_text = "A part of a repository or of a folder's location, or the beginning of an address"
    ordering = ("repository", "id")
    actions = ("remove",)

    @admin.display(description="whose", ordering="person__email")
    def whose(self, row: Binding) -> str:
        return row.person.email if row.person is not None else "everybody"

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        if obj is not None and obj.person_id is not None:
            return super().get_fields(request, obj)
        return ["repository", "place", "policy", "deadline_ms", "budget_chars"]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return super().get_fields(request, obj) if obj is not None and obj.person_id is not None else []

    def has_add_permission(self, request: HttpRequest) -> bool:
        return self.has_act_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_act_permission(request) and (obj is None or obj.person_id is None)

    def save_model(self, request: HttpRequest, obj: Binding, form: Any, change: bool) -> None:
        made = bindings.bind(
            actor_of(request),
            repository=obj.repository,
            folder=form.cleaned_data["place"].strip().strip("/"),
            policy=obj.policy,
            deadline_ms=obj.deadline_ms,
            budget_chars=obj.budget_chars,
            everybody=True,
        )
        obj.pk, obj._state.adding = made.id, False
        obj.folder = Folder.objects.get(path=made.folder, deleted_at=None)

    @admin.action(description="Remove the selected bindings for everybody", permissions=["act"])
    def remove(self, request: HttpRequest, rows: Any) -> None:
        actor = actor_of(request)
        act(
            request,
            list(rows.filter(person=None).values_list("pk", flat=True)),
            lambda pk: bindings.remove(actor, binding=pk),
            done="removed",
        )
