"""People and groups: added and changed here, by the services that the commands use too."""

from collections.abc import Callable
from copy import copy
from functools import partial
from typing import Any, ClassVar

from allauth.account.forms import ResetPasswordForm
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import AdminPasswordChangeForm, AdminUserCreationForm, UserChangeForm
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse

from workspace.actor import Actor
from workspace.admin.records import Guarded, Record, Rows, act, actor_of
from workspace.admin.site import site
from workspace.errors import Refusal
from workspace.models import Group, Membership, Nesting, Person
from workspace.services import groups, people, sign_in_links


def _worded(fields: dict[str, forms.Field]) -> None:
    """Gives the fields of the library's forms the product's words."""
    words = {
        "usable_password": (
            "Signs in with",
            "Without a password: by a passkey, by another service, or by a sign-in link that you make for them.",
        ),
        "password1": ("Password", "At least ten characters; a short sentence is easier to keep than a riddle."),
        "password2": ("Password again", ""),
        "password": ("Password", "Only what a password can be checked by is stored, so nobody can read it here."),
    }
    for name, (label, help_text) in words.items():
        if name in fields:
            fields[name].label, fields[name].help_text = label, help_text
    if usable := fields.get("usable_password"):
        assert isinstance(usable, forms.ChoiceField)
        usable.choices = [("true", "a password"), ("false", "no password")]


class PersonForm(AdminUserCreationForm):
    class Meta:
        model = Person
        fields = ("email", "name", "is_superuser")
        field_classes: ClassVar[dict[str, Any]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _worded(self.fields)


class PersonChangeForm(UserChangeForm):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        _worded(self.fields)


class PasswordForm(AdminPasswordChangeForm):
    """Gives somebody another password, or none, by the service."""

    def __init__(self, user: Person, *args: Any, actor: Actor, **kwargs: Any) -> None:
        super().__init__(user, *args, **kwargs)
        self._actor = actor
        _worded(self.fields)

    def save(self, commit: bool = True) -> Person:
        password = self.cleaned_data["password1"] if self.cleaned_data["set_usable_password"] else None
        self.user = people.set_password(self._actor, person=self.user.pk, password=password)
        return self.user


@admin.register(Person, site=site)
class PersonAdmin(Guarded, UserAdmin):
    """Nobody is deleted: history names them. Deactivate instead."""

    list_display = ("email", "name", "is_active", "is_superuser", "last_login", "created_at")
    list_defer: ClassVar[tuple[str, ...]] = ("password",)
    list_filter = ("is_active", "is_superuser", "last_login")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("email", "name")
    search_help_text = "A part of an address or a name"
    ordering = ("email",)
    filter_horizontal = ()
    form = PersonChangeForm
    add_form = PersonForm
    add_form_template = "admin/person_add.html"
    change_user_password_template = "admin/person_password.html"  # noqa: S105
    add_fieldsets = (
        (None, {"fields": ("email", "name", "usable_password", "password1", "password2", "is_superuser")}),
    )
    fieldsets = (
        (None, {"fields": ("email", "name", "password")}),
        ("Access", {"fields": ("is_active", "is_superuser")}),
        ("Times", {"fields": ("created_at", "last_login")}),
    )
    actions = ("deactivate", "reactivate", "sign_out", "send_reset", "make_link", "reset_second_steps")

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[Rows]:
        return Rows

    def user_change_password(self, request: HttpRequest, id: str, form_url: str = "") -> HttpResponse:
        # The form that the library makes does not know who asks; a copy of this page has one that does.
        asked = copy(self)
        asked.change_password_form = partial(PasswordForm, actor=actor_of(request))
        try:
            return super(PersonAdmin, asked).user_change_password(request, id, form_url)
        except Refusal as refusal:
            messages.error(request, refusal.detail)
            return HttpResponseRedirect(request.get_full_path())

    def get_readonly_fields(self, request: HttpRequest, obj: Person | None = None) -> tuple[str, ...]:
        return ("email", "created_at", "last_login") if obj else ()

    def formfield_for_dbfield(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        field = super().formfield_for_dbfield(db_field, request, **kwargs)
        if db_field.name == "is_superuser" and field:
            field.label, field.help_text = "administrator", "Sees and manages everything."
        return field

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Person | None = None) -> bool:
        return False

    def save_model(self, request: HttpRequest, obj: Person, form: forms.ModelForm, change: bool) -> None:
        actor = actor_of(request)
        if change:
            people.update(actor, person=obj.pk, name=obj.name, active=obj.is_active, admin=obj.is_superuser)
            return
        password = form.cleaned_data["password1"] if form.cleaned_data.get("set_usable_password", True) else None
        made = people.create(actor, email=obj.email, name=obj.name, password=password or None, admin=obj.is_superuser)
        obj.pk = made.pk
        obj._state.adding = False

    def has_act_permission(self, request: HttpRequest) -> bool:
        """Whether the actions of these rows are offered; the services behind them decide for themselves."""
        return bool(request.user.is_superuser)

    def _each(self, request: HttpRequest, rows: Any, do: Callable[[Any, Person], object], *, done: str) -> None:
        actor = actor_of(request)
        act(request, list(rows), lambda person: do(actor, person), done=done)

    @admin.action(description="Deactivate the selected people", permissions=["act"])
    def deactivate(self, request: HttpRequest, rows: Any) -> None:
        self._each(request, rows, lambda a, p: people.update(a, person=p.pk, active=False), done="deactivated")

    @admin.action(description="Let the selected people back in", permissions=["act"])
    def reactivate(self, request: HttpRequest, rows: Any) -> None:
        self._each(request, rows, lambda a, p: people.update(a, person=p.pk, active=True), done="let back in")

    @admin.action(description="Sign the selected people out everywhere", permissions=["act"])
    def sign_out(self, request: HttpRequest, rows: Any) -> None:
        self._each(request, rows, lambda a, p: people.sign_out(a, person=p.pk), done="signed out")

    @admin.action(description="Turn off the second step and the passkeys of the selected people", permissions=["act"])
    def reset_second_steps(self, request: HttpRequest, rows: Any) -> None:
        self._each(request, rows, lambda a, p: people.reset_second_steps(a, person=p.pk), done="changed")

    @admin.action(description="Mail the selected people a link for a new password", permissions=["act"])
    def send_reset(self, request: HttpRequest, rows: Any) -> None:
        count = 0
        for person in rows.filter(is_active=True):
            form = ResetPasswordForm({"email": person.email})
            if form.is_valid():
                form.save(request)
                count += 1
        messages.success(request, f"{count} mailed.")

    @admin.action(description="Make one-time sign-in links for the selected people", permissions=["act"])
    def make_link(self, request: HttpRequest, rows: Any) -> HttpResponse:
        links = []

        def make(actor: Any, person: Person) -> None:
            path = reverse("sign_in_link", args=[sign_in_links.make(actor, person=person.pk)])
            links.append((person.email, settings.BATON_BASE_URL + path))

        self._each(request, rows, make, done="made")
        context = {**self.admin_site.each_context(request), "title": "Sign-in links", "links": links}
        response = TemplateResponse(request, "admin/secret.html", context)
        response["Cache-Control"] = "no-store"
        return response


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0
    fields = ("person", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("person",)
    verbose_name = "member"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("person", "group").order_by("person__email")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class NestingInline(admin.TabularInline):
    """The groups that are parts of this one."""

    model = Nesting
    fk_name = "outer"
    extra = 0
    fields = ("inner", "created_at")
    readonly_fields = ("created_at",)
    autocomplete_fields = ("inner",)
    verbose_name = "group in it"
    verbose_name_plural = "groups in it"

    def get_queryset(self, request: HttpRequest) -> Any:
        return super().get_queryset(request).select_related("inner", "outer").order_by("inner__name")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Group, site=site)
class GroupAdmin(Guarded, admin.ModelAdmin):
    list_display = ("name", "created_at")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("name",)
    ordering = ("name",)
    fields = ("name", "created_at")
    readonly_fields = ("created_at",)
    inlines = (MembershipInline, NestingInline)
    actions = ()

    def has_add_permission(self, request: HttpRequest) -> bool:
        return bool(request.user.is_superuser)

    def has_change_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(request.user.is_superuser)

    def has_delete_permission(self, request: HttpRequest, obj: Group | None = None) -> bool:
        return bool(request.user.is_superuser)

    def save_model(self, request: HttpRequest, obj: Group, form: forms.ModelForm, change: bool) -> None:
        if change:
            if "name" in form.changed_data:
                groups.rename(actor_of(request), group=obj.pk, name=obj.name)
            return
        obj.pk = groups.create(actor_of(request), name=obj.name).pk
        obj._state.adding = False

    def save_formset(self, request: HttpRequest, form: Any, formset: Any, change: bool) -> None:
        formset.save(commit=False)
        actor = actor_of(request)
        for row in formset.deleted_objects:
            if isinstance(row, Nesting):
                groups.unnest(actor, group=row.outer_id, inner=row.inner_id)
            else:
                groups.remove(actor, group=row.group_id, person=row.person_id)
        for row in formset.new_objects:
            if isinstance(row, Nesting):
                groups.nest(actor, group=row.outer_id, inner=row.inner_id)
            else:
                groups.add(actor, group=row.group_id, person=row.person_id)

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        # Its memberships and grants go with it; their own pages let nobody delete them.
        deleted, counts, _, protected = super().get_deleted_objects(objs, request)
        return deleted, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Group) -> None:
        groups.delete(actor_of(request), group=obj.pk)

    def delete_queryset(self, request: HttpRequest, queryset: Any) -> None:
        for pk in list(queryset.values_list("pk", flat=True)):
            groups.delete(actor_of(request), group=pk)


@admin.register(Membership, site=site)
class MembershipAdmin(Record):
    list_display = ("group", "person", "created_at")
    list_select_related = ("group", "person")
    search_fields = ("group__name", "person__email__istartswith")
    search_help_text = "A group's name or the beginning of an address"
    ordering = ("group__name", "person__email", "id")


@admin.register(Nesting, site=site)
class NestingAdmin(Record):
    list_display = ("outer", "inner", "created_at")
    list_select_related = ("outer", "inner")
    search_fields = ("outer__name", "inner__name")
    search_help_text = "A group's name"
    ordering = ("outer__name", "inner__name", "id")
