"""Sharing in Chromium, with script and without."""

import pytest
from playwright.sync_api import expect

from tests.cast import Cast
from tests.web.browser import Enter, enter
from workspace.access import person_actor
from workspace.actor import Via
from workspace.models import Person
from workspace.queries import access
from workspace.services import groups, sharing

__all__ = ["enter"]

SHARE = "/share/product/launch"


def roles(cast: Cast) -> dict[str, str]:
    return {r.email.partition("@")[0]: r.role.label for r in access.readers(cast.alice, location="product/launch")}


@pytest.mark.parametrize("script", [True, False])
def test_a_group_is_shared_with_after_a_look_and_taken_back(enter: Enter, committed_cast: Cast, script: bool) -> None:
    root = person_actor(Person.objects.create_superuser("root@example.org", name="Root"), via=Via.WEB)
    design = groups.create(root, name="design")
    groups.add(root, group=design.pk, person=committed_cast.people["mallory"].pk)
    page = enter("alice", java_script_enabled=script)
    page.goto(SHARE)
    page.get_by_label("With whom").fill("group:design")
    page.get_by_role("button", name="Look at what it opens").click()
    expect(page.locator("#preview")).to_contain_text("Mallory of group design gains reading of 1 document in 1 folder")
    assert "mallory" not in roles(committed_cast)
    page.get_by_role("button", name="Yes, share it").click()
    expect(page.locator(".toast")).to_contain_text("group:design is viewer of product/launch now.")
    assert roles(committed_cast)["mallory"] == "viewer"
    page.get_by_role("button", name="Remove design").click()
    expect(page.locator("#preview")).to_contain_text("loses all access")
    page.get_by_role("button", name="Yes, take it back").click()
    expect(page.locator(".toast").last).to_contain_text("no longer has that role")
    assert "mallory" not in roles(committed_cast)


def test_a_mistyped_address_is_named_at_its_field_without_leaving_the_page(enter: Enter) -> None:
    page = enter("alice")
    page.goto(SHARE)
    page.get_by_label("With whom").fill("nobody@example.org")
    page.get_by_role("button", name="Look at what it opens").click()
    expect(page.locator("#id_subject_error")).to_contain_text("Names nobody who has an account here")
    expect(page.get_by_role("button", name="Invite")).to_be_visible()
    page.get_by_label("With whom").fill("mallory@example.org")
    page.get_by_role("button", name="Look at what it opens").click()
    expect(page.locator("#preview")).to_contain_text("Mallory gains reading")


def test_another_role_is_chosen_in_the_row_and_looked_at(enter: Enter, committed_cast: Cast) -> None:
    page = enter("alice")
    page.goto(SHARE)
    page.get_by_label("Role of Bob").select_option("viewer")
    expect(page.locator("#preview")).to_contain_text("Bob is left with viewer.")
    page.get_by_role("button", name="Yes, make it viewer").click()
    expect(page.locator(".toast")).to_contain_text("bob@example.org is viewer")
    assert roles(committed_cast)["bob"] == "viewer"


def test_people_are_suggested_as_one_types(enter: Enter) -> None:
    page = enter("alice")
    page.goto(SHARE)
    page.get_by_label("With whom").press_sequentially("car", delay=20)
    expect(page.locator("#subjects option")).to_have_count(1)
    expect(page.locator("#subjects option")).to_have_attribute("value", "carol@example.org")


@pytest.mark.parametrize("script", [True, False])
def test_a_stranger_asks_from_the_page_that_is_not_there_and_is_let_in(
    enter: Enter, committed_cast: Cast, script: bool
) -> None:
    page = enter("mallory", java_script_enabled=script)
    page.goto("/d/product/launch/plan.md")
    page.get_by_role("link", name="Ask for access").click()
    expect(page.get_by_label("What")).to_have_value("product/launch/plan.md")
    page.get_by_label("Reason").fill("I write the release notes.")
    page.get_by_role("button", name="Ask").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Access requests")
    decider = enter("bob", java_script_enabled=script)
    decider.get_by_role("link", name="Requests").click()
    decider.get_by_role("link", name="Mallory asks for product/launch/plan.md").click()
    expect(decider.locator("#preview")).to_contain_text("Mallory gains reading of this document.")
    decider.get_by_role("button", name="Approve").click()
    expect(decider.locator(".toast")).to_contain_text("mallory@example.org is viewer of product/launch/plan.md now.")
    page.goto("/d/product/launch/plan.md")
    expect(page.locator("article")).to_contain_text("Everybody knows their part.")


def test_a_manager_looks_as_somebody_else_and_leaves(enter: Enter, committed_cast: Cast) -> None:
    page = enter("alice")
    page.goto("/view-as/product/launch")
    page.get_by_role("link", name="Carol").click()
    expect(page.locator(".viewing")).to_contain_text("You see this as Carol does.")
    page.get_by_role("main").get_by_role("link", name="Launch plan").click()
    expect(page.locator("article")).to_contain_text("Everybody knows their part.")
    expect(page.locator(".viewing")).to_contain_text("You can only look.")
    page.get_by_role("link", name="Exit").click()
    page.wait_for_url("**/share/product/launch/plan.md")


@pytest.mark.parametrize("address", [SHARE, "/audit", "/accounts/sessions/"])
def test_on_a_phone_what_stands_below_a_row_begins_where_its_words_do(
    enter: Enter, committed_cast: Cast, address: str
) -> None:
    root = person_actor(Person.objects.create_superuser("root@example.org", name="Root"), via=Via.WEB)
    groups.create(root, name="design")
    sharing.grant(committed_cast.alice, location="product/launch", subject="group:design", role="viewer")
    page = enter("alice", viewport={"width": 360, "height": 800})
    page.goto(address)
    begins = page.locator(".row").evaluate_all(
        """rows => rows.filter(row => row.querySelector(".row-side > *")).map(row => {
            const visible = [...row.querySelectorAll(".row-side > *")].find(part => part.offsetParent)
            return [row.querySelector(".row-main").getBoundingClientRect().left, visible.getBoundingClientRect().left]
        })"""
    )
    assert begins
    assert all(abs(words - below) < 1 for words, below in begins), begins


def test_days_look_alike_in_the_audit_log_and_in_a_history(enter: Enter) -> None:
    page = enter("alice")
    looks = set()
    for address in ("/audit", "/history/product/launch/plan.md", "/activity/product/launch"):
        page.goto(address)
        looks.add(page.locator("h2.day").first.evaluate("day => getComputedStyle(day).fontSize"))
    assert len(looks) == 1, looks
