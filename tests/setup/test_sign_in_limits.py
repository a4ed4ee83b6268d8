"""Limits by network address hold in the running product, whatever the caller writes into its headers."""

import re

import requests

from tests.instance import Instance


def guess(instance: Instance, number: int, forwarded: str) -> str:
    """The page that follows a wrong password for one account of many."""
    browser = requests.Session()
    address = f"{instance.url}/accounts/login/"
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(address, timeout=30).text)
    assert found
    sent = {"login": f"p{number}@example.org", "password": "no", "csrfmiddlewaretoken": found[1]}
    return browser.post(address, data=sent, headers={"X-Forwarded-For": forwarded}, timeout=30).text


def test_a_header_dodges_no_limit_and_a_named_proxy_is_believed(instance: Instance) -> None:
    instance.start()
    pages = [guess(instance, number, f"10.0.0.{number}") for number in range(11)]
    assert "not correct" in pages[0]
    assert "Too many" in pages[-1]
    instance.stop()

    instance.extra["BATON_PROXIES"] = "127.0.0.1"
    instance.start()
    pages = [guess(instance, number, f"10.0.1.{number}") for number in range(11)]
    assert all("not correct" in page for page in pages), "each came from elsewhere"
    pages = [guess(instance, 20 + number, f"10.9.9.{number}, 10.0.2.1") for number in range(11)]
    assert "Too many" in pages[-1], "what stands before the proxy's own entry was written by the caller"
