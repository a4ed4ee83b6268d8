"""People and groups are made and changed by the services that the commands use."""

from django.test import Client
from django.urls import reverse

from workspace.management.operator import operator
from workspace.models import AuditEntry, Group, Person
from workspace.services import groups

ADD = "admin:workspace_person_add"
FOREIGN = ("username and", "LDAP", "Raw passwords", "user options", "authentication", "too similar", "the user")
"""Of the texts of the library's own pages."""
PASSWORD = "admin:auth_user_password_change"


def change(desk: Client, person: Person, **fields: str):
    address = reverse("admin:workspace_person_change", args=[person.pk])
    return desk.post(address, {"name": person.name, "is_active": "on", **fields}, follow=True)


def test_a_person_is_added_with_a_password_they_can_sign_in_with(desk: Client):
    fields = {
        "email": "Bob@Example.org",
        "name": "Bob",
        "usable_password": "true",
        "password1": "quite a long password",
        "password2": "quite a long password",
    }
    desk.post(reverse(ADD), fields)
    bob = Person.objects.get(email="bob@example.org")
    assert bob.check_password("quite a long password")
    assert not bob.is_superuser


def test_a_person_is_added_without_a_password(desk: Client):
    desk.post(reverse(ADD), {"email": "bob@example.org", "usable_password": "false"})
    assert not Person.objects.get(email="bob@example.org").has_usable_password()


def test_an_address_that_differs_in_case_only_is_refused_on_the_form(desk: Client):
    fields = {"email": "ROOT@example.org", "usable_password": "false"}
    response = desk.post(reverse(ADD), fields)
    assert response.status_code == 200
    assert response.context["errors"]
    assert Person.objects.count() == 1


def test_somebody_is_made_an_administrator_and_deactivated(desk: Client):
    bob = Person.objects.create(email="bob@example.org", name="Bob")
    change(desk, bob, is_superuser="on")
    bob.refresh_from_db()
    assert bob.is_superuser
    assert bob.is_staff
    change(desk, bob, is_active="")
    bob.refresh_from_db()
    assert (bob.is_active, bob.is_superuser) == (False, False)


def test_the_last_administrator_stays_one_and_the_page_says_why(desk: Client, root: Person):
    response = change(desk, root, is_superuser="")
    assert "This is the last administrator." in response.content.decode()
    root.refresh_from_db()
    assert root.is_superuser


def test_nobody_is_deleted(desk: Client):
    bob = Person.objects.create(email="bob@example.org")
    response = desk.post(reverse("admin:workspace_person_delete", args=[bob.pk]), {"post": "yes"})
    assert response.status_code == 403
    assert Person.objects.filter(pk=bob.pk).exists()


def test_a_new_password_is_set(desk: Client):
    bob = Person.objects.create(email="bob@example.org")
    fields = {"password1": "quite a long password", "password2": "quite a long password"}
    desk.post(reverse(PASSWORD, args=[bob.pk]), {**fields, "usable_password": "true"})
    bob.refresh_from_db()
    assert bob.check_password("quite a long password")
    entry = AuditEntry.objects.get(action="password.set")
    assert (entry.subject, entry.via, entry.data) == ("bob@example.org", "admin", {})


def test_a_password_is_taken_and_that_is_recorded(desk: Client):
    bob = Person.objects.create_user("bob@example.org", "quite a long password")
    session = Client()
    session.force_login(bob)
    desk.post(reverse(PASSWORD, args=[bob.pk]), {"usable_password": "false", "unset-password": "1"})
    bob.refresh_from_db()
    assert not bob.has_usable_password()
    assert AuditEntry.objects.get(action="password.set").data == {"taken": True}
    assert session.get("/agents").status_code == 302


def test_a_password_that_is_too_weak_is_told_on_the_form(desk: Client):
    bob = Person.objects.create(email="bob@example.org")
    fields = {"password1": "short", "password2": "short", "usable_password": "true"}
    answer = desk.post(reverse(PASSWORD, args=[bob.pk]), fields)
    assert "at least 10 characters" in answer.content.decode()
    assert not AuditEntry.objects.filter(action="password.set").exists()


def test_the_pages_of_a_person_say_it_in_the_words_of_the_product(desk: Client):
    bob = Person.objects.create_user("bob@example.org", "quite a long password")
    pages = [reverse(ADD), reverse(PASSWORD, args=[bob.pk]), reverse("admin:workspace_person_change", args=[bob.pk])]
    for address in pages:
        text = desk.get(address).content.decode()
        assert "assword" in text
        for foreign in (
            "username and",
            "LDAP",
            "Raw passwords",
            "user options",
            "authentication",
            "too similar",
            "the user",
        ):
            assert foreign not in text, (address, foreign)


def save(desk: Client, group: Group, name: str, set_: str = "memberships", *rows: dict[str, object], initial: int = 0):
    """Saves a group's page with ``rows`` in one of its two sets."""
    fields: dict[str, object] = {"name": name}
    for each in ("memberships", "inner_nestings"):
        held = rows if each == set_ else ()
        fields |= {
            f"{each}-TOTAL_FORMS": len(held),
            f"{each}-INITIAL_FORMS": initial if held else 0,
            f"{each}-MIN_NUM_FORMS": 0,
            f"{each}-MAX_NUM_FORMS": 1000,
        }
        for number, row in enumerate(held):
            fields |= {f"{each}-{number}-{key}": value for key, value in row.items()}
    return desk.post(reverse("admin:workspace_group_change", args=[group.pk]), fields)


def members(desk: Client, group: Group, name: str, *rows: dict[str, object], initial: int = 0) -> None:
    response = save(desk, group, name, "memberships", *rows, initial=initial)
    assert response.status_code == 302, response.context["errors"]


def test_groups_are_put_into_one_another_and_a_circle_is_told(desk: Client):
    outer, inner = (groups.create(operator("tests"), name=name) for name in ("All", "Some"))
    response = save(desk, outer, "All", "inner_nestings", {"outer": outer.pk, "inner": inner.pk})
    assert response.status_code == 302
    row = outer.inner_nestings.get()
    response = save(desk, inner, "Some", "inner_nestings", {"outer": inner.pk, "inner": outer.pk})
    told = desk.get(reverse("admin:workspace_group_change", args=[inner.pk])).content.decode()
    assert "Some is in All is in Some" in told
    assert not inner.inner_nestings.exists()
    save(
        desk,
        outer,
        "All",
        "inner_nestings",
        {"id": row.pk, "outer": outer.pk, "inner": inner.pk, "DELETE": "on"},
        initial=1,
    )
    assert not outer.inner_nestings.exists()


def test_a_group_gets_and_loses_members_and_is_deleted(desk: Client):
    bob = Person.objects.create(email="bob@example.org")
    group = groups.create(operator("tests"), name="Launch")
    members(desk, group, "Launch team", {"person": bob.pk, "group": group.pk})
    group.refresh_from_db()
    assert group.name == "Launch team"
    row = group.memberships.get()
    assert row.person == bob
    members(desk, group, "Launch team", {"id": row.pk, "person": bob.pk, "group": group.pk, "DELETE": "on"}, initial=1)
    assert not group.memberships.exists()
    groups.add(operator("tests"), group=group.pk, person=bob.pk)
    desk.post(reverse("admin:workspace_group_delete", args=[group.pk]), {"post": "yes"})
    assert not Group.objects.exists()
    assert Person.objects.filter(pk=bob.pk).exists()


def test_a_person_is_found_while_a_member_is_chosen(desk: Client):
    Person.objects.create(email="bob@example.org", name="Bob")
    query = {"app_label": "workspace", "model_name": "membership", "field_name": "person", "term": "bo"}
    results = desk.get(reverse("admin:autocomplete"), query).json()["results"]
    assert [row["text"] for row in results] == ["bob@example.org"]
