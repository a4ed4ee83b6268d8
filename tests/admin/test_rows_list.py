"""Every table can be looked at, quickly, and what is history stays as it is."""

import re
from collections.abc import Callable

import pytest
from allauth.idp.oidc.models import Client
from django.apps import apps
from django.db import connection
from django.db.models import Model
from django.test import Client as Browser
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from workspace import models
from workspace.admin.site import SECTIONS, site
from workspace.models import Person

MODELS = sorted(site._registry, key=lambda model: model.__name__)
EDITABLE = {models.Binding, models.Person, models.Group}
HISTORY = [model for model in MODELS if model not in EDITABLE]


def listing(model: type[Model]) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def page(model: type[Model], row: Model | None = None, verb: str = "change") -> str:
    pk = model._default_manager.first().pk if row is None else row.pk  # type: ignore[union-attr]
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{verb}", args=[pk])


def test_every_model_is_in_the_admin_and_in_a_section_of_its_index():
    wanted = {model for model in apps.get_app_config("workspace").get_models() if not model._meta.auto_created}
    wanted.add(Client)
    assert wanted == set(site._registry)
    assert {model.__name__ for model in wanted} == {name for names in SECTIONS.values() for name in names}


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_list_asks_the_database_as_often_for_many_rows_as_for_few(
    model: type[Model], desk: Browser, fill: Callable[[int], None]
):
    fill(2)
    desk.get(listing(model))
    with CaptureQueriesContext(
        connection,
    ) as few:
        assert desk.get(listing(model)).status_code == 200
    fill(12)
    with CaptureQueriesContext(connection) as many:
        response = desk.get(listing(model))
    assert response.context["cl"].result_count >= 14
    assert len(many) == len(few) <= 6
    assert sum("COUNT(" in query["sql"] for query in many) == 1


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_a_row_opens_and_is_found_by_searching(model: type[Model], desk: Browser, fill: Callable[[int], None]):
    fill(2)
    assert desk.get(page(model)).status_code == 200
    if not (fields := site._registry[model].search_fields):
        return
    path = fields[0].removesuffix("__startswith")
    row = model._default_manager.exclude(**{path: None}).order_by("pk").last()
    value: object = row
    for step in path.split("__"):
        value = getattr(value, step)
    assert row in desk.get(listing(model), {"q": str(value)}).context["cl"].result_list
    assert not desk.get(listing(model), {"q": "no such thing"}).context["cl"].result_list


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_every_choice_of_every_filter_answers(model: type[Model], desk: Browser, fill: Callable[[int], None]):
    fill(1)
    changes = desk.get(listing(model)).context["cl"]
    for spec in changes.filter_specs:
        for choice in spec.choices(changes):
            assert desk.get(listing(model) + choice["query_string"]).status_code == 200


@pytest.mark.parametrize("model", HISTORY, ids=lambda model: model.__name__)
def test_nobody_adds_changes_or_deletes_history(model: type[Model], desk: Browser, fill: Callable[[int], None]):
    fill(1)
    before = list(model._default_manager.order_by("pk").values())
    assert desk.post(reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_add"), {}).status_code == 403
    assert desk.post(page(model), {"_save": "1"}).status_code == 403
    assert desk.post(page(model, verb="delete"), {"post": "yes"}).status_code == 403
    desk.post(
        listing(model),
        {"action": "delete_selected", "_selected_action": [before[0][model._meta.pk.attname]], "post": "yes"},
    )
    assert list(model._default_manager.order_by("pk").values()) == before


def test_the_index_groups_what_is_stored_and_says_how_the_work_stands(desk: Browser, fill: Callable[[int], None]):
    fill(1)
    text = desk.get(reverse("admin:index")).content.decode()
    assert re.findall(r'class="section">([^<]+)<', text) == list(SECTIONS)
    assert re.search(r"<strong>1</strong> given up", text)


def test_secrets_are_on_no_page(desk: Browser, fill: Callable[[int], None], root: Person):
    fill(1)
    token = models.AgentToken.objects.get()
    assert token.token_hash not in desk.get(page(models.AgentToken)).content.decode()
    assert models.SignInLink.objects.get().token_hash not in desk.get(page(models.SignInLink)).content.decode()
    assert models.Invitation.objects.get().token_hash not in desk.get(page(models.Invitation)).content.decode()
    assert root.password not in desk.get(page(Person, root)).content.decode()
    assert models.Connection.objects.get().grant_id not in desk.get(page(models.Connection)).content.decode()
    client = Client.objects.get()
    for address in (page(Client), listing(Client)):
        text = desk.get(address).content.decode()
        assert client.secret not in text
        assert "kept from view" not in text


def test_rows_of_access_are_named_by_what_they_are(desk: Browser, fill: Callable[[int], None]) -> None:
    fill(1)
    assert str(models.AccessRequest.objects.get()) == "editor of f0 for p0@example.org"
    assert "editor of f0<" in desk.get(listing(models.AccessRequest)).content.decode()
    invitation = models.Invitation.objects.get()
    assert "viewer of f0/d0.md" in desk.get(listing(models.Invitation)).content.decode()
    invitation.email, invitation.uses = "", 3
    invitation.save()
    assert f"a link for 3 people (…{invitation.pk[-6:]})" in desk.get(listing(models.Invitation)).content.decode()


def test_a_registered_program_tells_what_it_is_and_its_connections_are_ended(
    desk: Browser, fill: Callable[[int], None]
) -> None:
    fill(1)
    shown = desk.get(listing(Client)).content.decode()
    assert "Claude Code 0" in shown
    assert "unverified" in shown
    assert "http://127.0.0.1/callback" in shown
    client = Client.objects.get()
    assert list(desk.get(listing(Client), {"used": "yes"}).context["cl"].result_list) == [client]
    desk.post(listing(Client), {"action": "end", "_selected_action": [client.pk]})
    assert models.Connection.objects.get().ended_why == "ended by an administrator"
    assert models.AuditEntry.objects.filter(action="agent.disconnected", via="admin").exists()
    assert not desk.get(listing(Client), {"used": "yes"}).context["cl"].result_list


def test_pages_hold_nothing_that_the_policy_forbids(desk: Browser, fill: Callable[[int], None]):
    fill(2)
    addresses = [reverse("admin:index"), reverse("admin:workspace_person_add"), reverse("admin:workspace_group_add")]
    addresses += [listing(model) for model in MODELS] + [page(model) for model in MODELS]
    for address in addresses:
        response = desk.get(address)
        text = response.content.decode()
        assert "style-src 'self'" in response.headers["Content-Security-Policy"]
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), address
        assert "<style" not in text, address
        for tag, body in re.findall(r"<script([^>]*)>(.*?)</script>", text, re.DOTALL):
            assert "src=" in tag or 'type="application/json"' in tag or not body.strip(), address


def test_somebody_who_is_not_staff_is_turned_away(db: None):
    client = Browser()
    assert client.get(reverse("admin:index")).status_code == 302
    client.force_login(Person.objects.create(email="mallory@example.org"))
    response = client.get(reverse("admin:index"), follow=True)
    assert response.status_code == 403


@pytest.mark.parametrize(
    ("model", "rest"),
    [
        (models.Agent, "\x00/change/"),
        (models.Agent, "\x00/history/"),
        (models.Agent, "?id__exact=%00"),
        (models.Person, "?email__exact=%00"),
        (models.AuditEntry, "?action=%00"),
        (models.AuditEntry, "?at__year=99999999999"),
    ],
)
def test_an_address_with_what_the_database_cannot_hold_is_a_bad_request(
    model: type[Model], rest: str, desk: Browser
) -> None:
    answer = desk.get(listing(model) + rest)
    assert answer.status_code == 400
    assert "<html" in answer.content.decode()
