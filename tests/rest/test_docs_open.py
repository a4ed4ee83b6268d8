"""The reference opens in a browser under the strict policy, asks no other host for anything, and its calls work."""

from playwright.sync_api import Browser

from tests.instance import Instance


def test_the_reference_draws_every_call_and_loads_nothing_from_elsewhere(live: Instance, browser: Browser) -> None:
    page = browser.new_page()
    asked: list[str] = []
    said: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("console", lambda message: said.append(message.text))
    page.on("pageerror", lambda error: said.append(str(error)))
    answer = page.goto(f"{live.url}/api/v1/docs")
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "unsafe" not in policy
    page.wait_for_selector(".opblock")
    assert page.locator(".opblock").count() >= 24
    page.click("#operations-documents-readDocument button.opblock-summary-control")
    page.wait_for_selector("#operations-documents-readDocument .responses-table")
    assert page.locator("#conflict").inner_text().startswith("CONFLICT")
    assert said == []
    assert all(url.startswith((live.url, "data:")) for url in asked), asked
    page.close()


def test_a_call_can_be_tried_with_a_token(live: Instance, browser: Browser) -> None:
    live.manage("createperson", "docs@example.org", "--password-stdin", text="correct horse battery\n")
    token = live.manage("mint_token", "--person", "docs@example.org", "--agent", "docs").stdout.strip()
    page = browser.new_page()
    page.goto(f"{live.url}/api/v1/docs")
    page.click("button.authorize")
    page.fill("#auth-bearer-value", token)
    page.click("form:has(#auth-bearer-value) button.authorize")
    page.click(".close-modal")
    page.click("#operations-me-readMe button.opblock-summary-control")
    page.click("#operations-me-readMe .try-out__btn")
    page.click("#operations-me-readMe .execute")
    page.wait_for_selector("#operations-me-readMe .live-responses-table")
    assert "docs@example.org" in page.inner_text("#operations-me-readMe .live-responses-table")
    page.close()
