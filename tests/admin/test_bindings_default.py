"""An administrator binds a repository for everybody, and looks at what people bound and were proposed."""

from django.test import Client
from django.urls import reverse

from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import AuditEntry, Binding, Capture, Person
from workspace.queries import bindings as reads
from workspace.services import bindings, captures, folders

ADD = "admin:workspace_binding_add"
FIELDS = {
    "repository": "git@github.com:acme/shop.git",
    "place": "product/",
    "policy": "required",
    "deadline_ms": "3000",
    "budget_chars": "9000",
}


def test_a_default_is_set_changed_and_removed(desk: Client, root: Person) -> None:
    actor = person_actor(root, via=Via.WEB)
    folders.create(actor, location="product/launch")
    assert desk.post(reverse(ADD), FIELDS).status_code == 302
    (row,) = reads.defaults(actor)
    assert (row.repository, row.folder, row.policy, row.deadline_ms) == (
        "github.com/acme/shop",
        "product",
        "required",
        3000,
    )
    address = reverse("admin:workspace_binding_change", args=[row.id])
    assert 'value="product"' in desk.get(address).content.decode()
    assert desk.post(address, {**FIELDS, "place": "product/launch", "repository": "other"}).status_code == 302
    assert [one.folder for one in reads.defaults(actor)] == ["product/launch"]
    desk.post(reverse("admin:workspace_binding_changelist"), {"action": "remove", "_selected_action": [row.id]})
    assert reads.defaults(actor) == ()
    entries = AuditEntry.objects.filter(action__startswith="binding.").order_by("id")
    assert [(entry.action, entry.via) for entry in entries] == [
        ("binding.set", "admin"),
        ("binding.set", "admin"),
        ("binding.removed", "admin"),
    ]


def test_what_the_service_refuses_is_said_on_the_page(desk: Client) -> None:
    for wrong in ({"repository": "./shop"}, {"place": "nowhere"}, {"deadline_ms": "1"}):
        page = desk.post(reverse(ADD), {**FIELDS, **wrong}, follow=True).content.decode()
        assert 'class="error"' in page or "errornote" in page, wrong
    assert not Binding.objects.exists()


def test_a_persons_own_is_looked_at_and_not_changed(desk: Client, root: Person) -> None:
    bob = Person.objects.create(email="bob@example.org")
    actor = person_actor(bob, via=Via.WEB)
    folders.create(actor, location="bobs")
    made = bindings.bind(actor, repository="github.com/acme/shop", folder="bobs").id
    address = reverse("admin:workspace_binding_change", args=[made])
    assert desk.get(address).status_code == 200
    assert desk.post(address, FIELDS).status_code == 403
    desk.post(reverse("admin:workspace_binding_changelist"), {"action": "remove", "_selected_action": [made]})
    assert Binding.objects.filter(pk=made).exists()


def test_the_text_of_a_proposal_is_on_no_page_of_the_administration(desk: Client) -> None:
    bob = Person.objects.create(email="bob@example.org")
    actor = person_actor(bob, via=Via.WEB)
    folders.create(actor, location="bobs")
    kept = captures.commit(actor, folder="bobs", content="between us", operation_id="x", propose=True).id
    address = reverse("admin:workspace_capture_change", args=[kept])
    page = desk.get(address).content.decode()
    assert "between us" not in page
    assert "alone reads it" in page
    desk.post(reverse("admin:workspace_capture_changelist"), {"action": "erase", "_selected_action": [kept]})
    assert Capture.objects.get().deleted_at is None
    captures.approve(actor, capture=kept)
    assert "between us" in desk.get(address).content.decode()
