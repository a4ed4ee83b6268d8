"""What all pages of the admin share: rows are looked at, and acted on by services."""

from collections.abc import Callable, Iterable
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.views.main import ChangeList
from django.db.models import FETCH_RAISE, Model, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from workspace import access
from workspace.actor import Actor, Via
from workspace.errors import Refusal
from workspace.models import Person

NONE = "—"


def actor_of(request: HttpRequest) -> Actor:
    """The person at the admin, as services take them."""
    assert isinstance(request.user, Person)
    return access.person_actor(request.user, via=Via.ADMIN)


def act(
    request: HttpRequest,
    targets: Iterable[Any],
    do: Callable[[Any], object],
    *,
    done: str,
    named: Callable[[Any], str] = str,
) -> None:
    """Calls ``do`` on each target and tells the person what came of it; a refusal of one leaves the others be.

    ``done`` is a past participle, such as ``retried``.
    """
    count = 0
    for target in targets:
        try:
            do(target)
        except Refusal as refusal:
            messages.error(request, f"{named(target)}: {refusal.detail}")
        else:
            count += 1
    if count:
        messages.success(request, f"{count} {done}.")


class Rows(ChangeList):
    """A list of rows that cannot ask the database once a row: an unplanned fetch raises."""

    def get_queryset(self, request: HttpRequest, exclude_parameters: Any = None) -> QuerySet[Any]:
        rows = super().get_queryset(request, exclude_parameters)
        return rows.defer(*getattr(self.model_admin, "list_defer", ())).fetch_mode(FETCH_RAISE)


class Record(admin.ModelAdmin):
    """Rows that nobody adds, changes or deletes by hand.

    ``list_defer`` names columns that the list leaves in the database. Actions that declare
    ``permissions=["act"]`` are offered to administrators; they call services.
    """

    list_defer: ClassVar[tuple[str, ...]] = ()
    list_per_page = 50
    list_max_show_all = 200
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    actions: tuple[str, ...] = ()

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return Rows

    def get_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        if self.fields:
            return list(self.fields)
        return [f.name for f in self.model._meta.concrete_fields if f.name not in (self.exclude or ())]

    def get_readonly_fields(self, request: HttpRequest, obj: Model | None = None) -> list[Any]:
        return self.get_fields(request, obj)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        return False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the actions of these rows are offered; the services behind them decide for themselves."""
        return bool(getattr(request.user, "is_superuser", False))


class Guarded(admin.ModelAdmin):
    """A page whose save may be refused by a service: the refusal is told on the page and nothing is kept."""

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        try:
            return super().changeform_view(request, object_id, form_url, extra_context)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            return HttpResponseRedirect(request.get_full_path())


class ViaFilter(admin.SimpleListFilter):
    """By surface. The choices are fixed, so that drawing them does not scan the table."""

    title = "via"
    parameter_name = "via"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(via.value, via.value) for via in Via]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(via=self.value()) if self.value() else queryset


class AgentFilter(admin.SimpleListFilter):
    """Written by a person, by an agent, or by a job."""

    title = "author"
    parameter_name = "by"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("person", "a person"), ("agent", "an agent"), ("job", "a job")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        match self.value():
            case "person":
                return queryset.filter(agent=None).filter(**{f"{self.column(queryset)}__isnull": False})
            case "agent":
                return queryset.filter(agent__isnull=False)
            case "job":
                return queryset.filter(**{self.column(queryset): None})
        return queryset

    @staticmethod
    def column(queryset: QuerySet[Any]) -> str:
        """The column that names the person: receipts call it ``person``."""
        return "author" if any(f.name == "author" for f in queryset.model._meta.fields) else "person"


class RevokedFilter(admin.SimpleListFilter):
    """Revoked or not."""

    title = "state"
    parameter_name = "revoked"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "active"), ("yes", "revoked")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(revoked_at__isnull=self.value() == "no") if self.value() else queryset


class DeletedFilter(admin.SimpleListFilter):
    """Deleted or not."""

    title = "state"
    parameter_name = "deleted"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "live"), ("yes", "deleted")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(deleted_at__isnull=self.value() == "no") if self.value() else queryset


def author(row: Any) -> str:
    """Who wrote it, as one word or two: the agent with its person, the person, or the job."""
    person = row.author if hasattr(row, "author_id") else row.person
    if row.agent is not None:
        return f"{row.agent.name} for {person.label}"
    return str(person.label) if person is not None else f"job {row.job}".strip()
