"""Whose memory could be looked at: offered to those who may know."""

import json
from collections.abc import Sequence
from pathlib import Path

import httpx
import pytest
from selenium.webdriver.common.keys import Keys

from tests.api.serving import Server, run, serving
from tests.ui.browser import Tab, browsing, require_browser
from tests.ui.test_odd_words import TOO_WIDE

FIRST = ["  first ", "!a", "!b <b>bold</b>", f"!c {'x' * 200}"]
"""They come before all that other tests store."""
OFFERED = "return [...document.querySelectorAll('#users option')].map((each) => each.value)"
LINKED = "return [...document.querySelectorAll('.users a')].map((each) => each.textContent)"
LISTEN = """
const heard = window.fetch;
window.heard = [];
window.fetch = (address, how) => {
  window.heard.push([address, how.signal]);
  return heard(address, how);
};
"""
HEARD = "return window.heard.map(([address, signal]) => [address, signal?.aborted === true])"
ASKED = """
const [address] = arguments;
const named = performance.getEntriesByType("resource").map((each) => each.name);
return named.filter((name) => name.startsWith(location.origin + address));
"""
CHOOSE = """
const [value] = arguments;
const field = document.querySelector("#user");
field.value = value;
field.dispatchEvent(new InputEvent("input", {bubbles: true, inputType: "insertReplacementText"}));
"""


def bring(client: httpx.Client, *users: str) -> None:
    for user in users:
        client.post("/conversations", json={"user_id": user}).raise_for_status()


def offered(tab: Tab, *users: str) -> None:
    tab.until(lambda: tab.run(OFFERED) == [*users])


def test_the_field_offers_those_whose_ids_go_on_from_what_is_typed(
    tab: Tab, client: httpx.Client
) -> None:
    bring(client, "off-ann", "off-anna", "off-bob", "off-%", "OFF-ann")
    tab.open("/ui/conversations?user=")
    assert tab.all("#users") == []
    tab.fill("#user", "off-")
    offered(tab, "off-%", "off-ann", "off-anna", "off-bob")
    assert tab.one("#user").get_attribute("list") == "users"
    tab.press("ann")
    offered(tab, "off-ann", "off-anna")
    tab.fill("#user", "off-%")
    offered(tab, "off-%")
    tab.run("document.querySelector('#q').focus()")
    tab.until(lambda: tab.all("#users") == [])
    tab.wait(".entry")


def test_no_more_are_offered_than_one_reads(tab: Tab, client: httpx.Client) -> None:
    bring(client, *(f"many-{number:02}" for number in range(23)))
    tab.open("/ui?user=")
    tab.fill("#user", "many-")
    offered(tab, *(f"many-{number:02}" for number in range(20)))


def test_what_is_chosen_is_looked_at_and_the_focus_stays(tab: Tab, client: httpx.Client) -> None:
    bring(client, *FIRST)
    tab.open("/ui/conversations?user=")
    tab.fill("#user", "  fi")
    offered(tab, FIRST[0])
    tab.run(CHOOSE, FIRST[0])
    tab.wait(".entry")  # the conversation of the one who is called so, blanks included
    assert tab.run("return document.activeElement.id") == "user"
    tab.fill("#user", f"off-nobody{Keys.ENTER}")
    tab.wait(".empty", "of off-nobody")
    assert tab.run("return document.activeElement.id") == "user"


def test_a_request_that_is_late_is_given_up_for_the_next(tab: Tab, client: httpx.Client) -> None:
    bring(client, "late-ann", "late-bob")
    tab.open("/ui?user=")
    tab.fill("#user", "late-")
    offered(tab, "late-ann", "late-bob")
    tab.troubled("begins=late-a", late_ms=1_500)
    tab.run(LISTEN)
    tab.press("a")
    tab.until(lambda: any("begins=late-a" in address for address, _ in tab.run(HEARD)))
    tab.press(Keys.BACKSPACE, "b")
    offered(tab, "late-bob")
    of_users = [(address, ended) for address, ended in tab.run(HEARD) if "/users" in address]
    assert of_users[0] == ("/users?begins=late-a&limit=20", True)
    assert of_users[-1] == ("/users?begins=late-b&limit=20", False)


PLACES = ["/ui", "/ui/person", "/ui/memory/procedures", "/ui/memory/entities"]


@pytest.mark.parametrize("path", PLACES)
def test_where_it_is_nobodys_the_first_few_are_linked(
    tab: Tab, client: httpx.Client, path: str
) -> None:
    bring(client, *FIRST)
    tab.shape(390, 844)
    tab.open(f"{path}?user=")
    tab.wait(".users", "Look at the memory of")
    linked: Sequence[str] = tab.run(LINKED)
    assert list(linked[:4]) == FIRST
    assert len(linked) <= 6
    assert not tab.run(TOO_WIDE)
    assert tab.one(".users").accessible_name == "Look at the memory of"
    tab.run("document.querySelectorAll('.users a')[1].focus()")
    tab.press(Keys.ENTER)
    tab.until(lambda: tab.one("#user").get_attribute("value") == "!a")
    tab.until(lambda: tab.run("return document.activeElement.id") == "main")
    tab.gone(".users")
    tab.driver.back()
    tab.wait(".users", "!a")


def test_whoever_has_a_memory_is_offered_no_others(tab: Tab, client: httpx.Client) -> None:
    bring(client, "!a")
    tab.open("/ui/memory/procedures?user=!a")
    tab.wait(".empty", "No procedures yet of !a.")
    assert tab.all(".users") == []
    assert tab.run(ASKED, "/users") == []


def test_what_goes_wrong_with_it_is_nobodys_concern(tab: Tab, client: httpx.Client) -> None:
    bring(client, "!a")
    tab.open("/ui?user=")
    tab.wait(".users", "!a")
    tab.troubled("/users", status=503)
    tab.fill("#user", "!")
    tab.fill("#user", "")
    tab.click("nav a", "Profile and consent")
    tab.wait("main h1", "Profile and consent")
    assert tab.wait(".empty")
    assert tab.all("[role=alert]") == []
    assert tab.all(".users") == []


def a_key(directory: Path, scopes: str) -> str:
    command = ("keys", "create", "--tenant", "acme", "--name", "page", "--scopes", scopes, "--json")
    return str(json.loads(run(directory, *command).stdout)["key"])


def come_in(tab: Tab, key: str, path: str) -> None:
    tab.open(path)
    tab.fill("dialog input", key)
    tab.click("dialog button")
    tab.gone("dialog")


def test_who_may_not_know_who_there_is_is_not_refused_it(tmp_path: Path) -> None:
    require_browser()
    of_user, of_admin = a_key(tmp_path, "read,write"), a_key(tmp_path, "read,write,admin")
    with serving(tmp_path) as server, browsing(tmp_path / "profile", server.url) as tab:
        fill_under(server, of_admin)
        come_in(tab, of_user, "/ui/conversations?user=")
        tab.wait(".empty", "of no user")
        tab.fill("#user", "a")
        tab.fill("#user", "")
        for page in ("Profile and consent", "Inspector", "Memory"):
            tab.click("nav a", page)
            tab.wait("main h1", page)
            tab.wait(".empty")
        tab.open("/ui/person?user=")
        tab.wait(".empty")
        tab.until(lambda: tab.run(ASKED, "/conversations?limit=1"))
        assert tab.run(ASKED, "/users") == []
        assert tab.all(".users, #users, [list]") == []
        assert tab.complaints("401") == []

        tab.run("sessionStorage.clear()")
        come_in(tab, of_admin, "/ui/person?user=")
        tab.wait(".users a", "ann")
        assert tab.complaints("401") == []


def fill_under(server: Server, key: str) -> None:
    with server.client() as client:
        client.headers["Authorization"] = f"Bearer {key}"
        bring(client, "ann")


@pytest.mark.parametrize("user", [".", ".."])
def test_whom_no_browser_can_ask_for_is_not_taken_for_somebody_else(tab: Tab, user: str) -> None:
    tab.open(f"/ui/person?user={user}")
    tab.wait(".empty", "A browser cannot ask for who is called so")
    assert tab.all(".person") == []
    assert tab.run(ASKED, "/users") == []
