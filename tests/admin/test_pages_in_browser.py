"""The admin in a real browser, under the product's content security policy."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Page, sync_playwright

from workspace.models import Group, Job


def visit(url: str, cookie: str, act: Callable[[Page], None]) -> list[str]:
    """Runs `act` on a page of its own thread, since a browser's loop would forbid the test its queries; what the
    browser complained of."""

    def browse() -> list[str]:
        complaints: list[str] = []
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-gpu"]
            )
            context = browser.new_context(base_url=url)
            context.add_cookies([{"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": url}])
            page = context.new_page()
            page.on("console", lambda said: complaints.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: complaints.append(str(error)))
            act(page)
            browser.close()
        return [said for said in complaints if "404" not in said]

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(browse).result()


def test_a_member_is_chosen_and_a_job_retried_and_the_policy_has_no_complaint(
    live_server, desk: Client, fill: Callable[[int], None]
):
    fill(2)
    group = Group.objects.order_by("pk").first()
    assert group is not None
    change = reverse("admin:workspace_group_change", args=[group.pk])
    listing = reverse("admin:workspace_job_changelist")

    def act(page: Page) -> None:
        page.goto(reverse("admin:index"))
        page.goto(change)
        page.get_by_role("button", name="Add another member").or_(page.get_by_text("Add another member")).first.click()
        page.locator(".select2-selection:visible").click()
        page.keyboard.type("p1@")
        page.locator(".select2-results__option", has_text="p1@example.org").click()
        page.locator("input[name=_save]").click()
        page.goto(listing)
        page.locator("input.action-select").first.check()
        page.select_option("select[name=action]", "retry")
        page.locator("button[name=index]").click()
        page.get_by_text("1 retried.").wait_for()

    complaints = visit(live_server.url, desk.cookies[settings.SESSION_COOKIE_NAME].value, act)
    assert complaints == []
    assert group.memberships.filter(person__email="p1@example.org").exists()
    assert Job.objects.filter(state="pending").count() == 1
