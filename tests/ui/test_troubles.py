"""While the service is away, slow or refuses, and while something is being done."""

from typing import Any

import httpx
from selenium.webdriver.common.keys import Keys

from tests.ui.browser import Tab

BUSY = 503
TOO_MANY = 429
FOCUS = "return document.activeElement.textContent"
RESOURCES = """
const [part] = arguments;
return performance.getEntriesByType("resource").filter((each) => each.name.includes(part)).length;
"""
OF_KEYS = """
const done = arguments[0];
const main = document.querySelector("script[type=module]").src;
import(new URL("lib/key.js", main)).then(({ askForKey, isWanted, setKey }) => {
  setKey("new");
  askForKey("old");
  const late = isWanted();
  askForKey("new");
  done([late, isWanted()]);
  setKey("");
});
"""


def test_what_was_there_stays_while_there_is_no_answer(tab: Tab) -> None:
    tab.open("/ui/jobs")
    tab.wait(".tiles", "Vectors")
    tab.wait("h2", "Parts")
    tab.troubled("/", status=BUSY)
    tab.wait("[role=alert]", "Trouble")
    assert len(tab.all("[role=alert]")) == 1
    assert "Vectors" in tab.text(".tiles")
    assert tab.one("h2", "Long work")
    tab.untroubled()
    tab.click("button", "Try again")
    tab.gone("[role=alert]")


def test_what_may_not_be_seen_any_more_does_not_stay(tab: Tab) -> None:
    tab.open("/ui/jobs")
    tab.wait(".tiles", "Vectors")
    tab.troubled("/", status=403)
    tab.wait("[role=alert]", "Trouble")
    tab.until(lambda: tab.all(".tiles") == [])


def test_a_message_that_cannot_be_read_now_is_not_called_gone(
    tab: Tab, client: httpx.Client
) -> None:
    body = {"user_id": "una", "messages": [{"role": "user", "content": "I live in Lisbon."}]}
    client.post("/conversations", json=body).raise_for_status()
    facts = {"user_id": "una", "type": "fact"}
    tab.until(lambda: client.get("/memories", params=facts).json()["items"])
    tab.open("/ui/memory/facts?user=una")
    tab.wait(".item .formatted > *")
    tab.troubled("/messages/", status=TOO_MANY)
    tab.click(".item summary", "Where it comes from")
    tab.wait(".lineage [role=alert]", "Trouble")
    assert "gone" not in tab.text(".lineage")
    tab.untroubled()
    tab.click(".lineage button", "Try again")
    tab.wait(".lineage q", "I live in Lisbon.")


def test_a_key_is_asked_for_however_often_one_escapes(tab: Tab) -> None:
    tab.open("/ui/settings")
    tab.wait("#flag-facts")
    tab.troubled("/flags", "PUT", status=401)
    tab.click("#flag-facts")
    tab.wait("dialog #key")
    for _ in range(3):
        tab.press(Keys.ESCAPE)
        tab.until(lambda: tab.run("return document.querySelector('dialog').open"))
    assert tab.run("return document.querySelector('dialog').contains(document.activeElement)")


def test_a_late_refusal_of_the_key_of_before_asks_for_none(tab: Tab) -> None:
    tab.open("/ui/nothing")
    assert tab.driver.execute_async_script(OF_KEYS) == [False, True]


def test_the_focus_stays_on_what_is_being_done(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations/{stored['chat-44']['id']}?user={stored['user']}")
    tab.wait(".conversation-tools button", "Pin")
    tab.troubled("/conversations/", "PATCH", late_ms=300)
    tab.run("document.querySelector('.conversation-tools button').focus()")
    tab.press(Keys.ENTER)
    tab.wait("[aria-busy=true]", "Pin")
    assert tab.run(FOCUS) == "Pin"
    tab.press(Keys.ENTER)  # once is enough
    tab.wait(".conversation-tools button", "Unpin")
    assert tab.run(FOCUS) == "Unpin"


def test_what_is_being_erased_shows_its_receipt_though_one_escapes(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations/{stored['chat-44']['id']}?user={stored['user']}")
    tab.click(".conversation-tools button", "Delete")
    tab.troubled("/conversations/", "DELETE", late_ms=600)
    tab.click("dialog .button-danger")
    tab.wait("dialog [aria-busy=true]")
    tab.press(Keys.ESCAPE, Keys.ESCAPE)
    tab.click("dialog button", "Keep it")
    tab.wait("dialog .receipt", "messages 2")
    tab.press(Keys.ESCAPE)
    tab.gone("dialog")
    tab.wait("main h1", "Conversations")


def test_what_is_left_of_a_conversation_stays_where_it_was(tab: Tab, client: httpx.Client) -> None:
    said = [{"role": "user", "content": f"Message {each}."} for each in range(60)]
    body = {"user_id": "mel", "messages": said}
    stored = client.post("/conversations", json=body).json()
    tab.open(f"/ui/conversations/{stored['id']}?user=mel")
    tab.click("button", "Show more")
    tab.until(lambda: len(tab.all(".message")) == 60)
    tab.run("document.querySelectorAll('.message .button-quiet')[54].focus()")
    tab.press(Keys.ENTER)
    tab.wait("dialog")
    tab.press(Keys.TAB, Keys.ENTER)
    tab.wait("dialog .receipt")
    tab.press(Keys.ENTER)
    tab.until(lambda: len(tab.all(".message")) == 59)
    assert "Message 54." not in tab.text(".messages")
    tab.until(lambda: "Message 55." in tab.run(FOCUS))


def test_an_answer_that_stays_names_its_question(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    tab.fill("#query", "Which database?")
    tab.click("button", "Build the context")
    tab.wait(".candidate")
    tab.troubled("/context", "POST", status=TOO_MANY)
    tab.fill("#query", "Which cat?")
    tab.click("button", "Build the context")
    tab.wait("[role=alert]", "Trouble")
    assert "Which database?" in tab.text(".answer .question")
    tab.untroubled()
    tab.click("button", "Build the context")
    tab.gone(".answer .question")


def test_waiting_is_told_where_nothing_may_move(tab: Tab) -> None:
    still = {"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]}
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", still)
    tab.open("/ui/memory/facts?user=wanda")
    tab.wait(".empty")
    tab.troubled("/memories", late_ms=2_000)
    tab.click(".subnav a", "Summaries")
    seen = "return getComputedStyle(document.querySelector('.waiting')).opacity"
    assert tab.until(lambda: tab.run(seen)) == "1"
    tab.wait(".empty")


def test_messages_of_a_relation_are_asked_for_once_somebody_wants_them(
    tab: Tab, client: httpx.Client
) -> None:
    said = [f"Acme Labs is based in Lisbon, office {each}." for each in range(4)]
    messages = [{"role": "user", "content": each} for each in said]
    client.post("/conversations", json={"user_id": "rel", "messages": messages})
    of = {"user_id": "rel", "q": "Acme"}
    listed = tab.until(lambda: client.get("/entities", params=of).json()["items"])
    path = f"/entities/{listed[0]['id']}"
    tab.until(lambda: client.get(path).json()["edges"])
    told = client.get(path).json()["lineage"]
    tab.open(f"/ui/memory{path}?user=rel")
    tab.until(lambda: len(tab.all(".lineage q")) == len(told))
    assert tab.run(RESOURCES, "/messages/") == len(told)
    tab.click(".relations summary", "Said in")
    tab.wait(".relations q", "Acme Labs")


def test_what_was_not_copied_is_not_called_copied(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    tab.fill("#query", "Which database?")
    tab.click("button", "Build the context")
    tab.click("[role=tab]", "As the model sees it")
    tab.run("Object.defineProperty(navigator, 'clipboard', {value: undefined});")
    tab.run("document.execCommand = () => window.can;")
    tab.click("button", "Copy the text")
    tab.wait("button", "Not copied")
    tab.wait("button", "Copy the text")
    tab.run("window.can = true;")
    tab.click("button", "Copy the text")
    tab.wait("button", "Copied")
    assert tab.run(FOCUS) == "Copied"


def test_slow_answers_come_though_they_are_asked_for_anew(tab: Tab, house: Any) -> None:
    tab.open("/ui/settings")
    for part in ("/jobs", "/debug/stats"):
        tab.troubled(part, late_ms=6_000)
    tab.click("nav a", "Jobs")
    tab.wait("h2", "Long work")


def test_what_is_being_written_of_a_conversation_stays(tab: Tab, client: httpx.Client) -> None:
    said = [{"role": "user", "content": "Hello."}]
    body = {"user_id": "tom", "messages": said, "tags": ["a, b", "c"]}
    stored = client.post("/conversations", json=body).raise_for_status().json()
    tab.open(f"/ui/conversations/{stored['id']}?user=tom")
    tab.click(".edit summary")
    tab.fill("#edit-label", "Greeting")
    tab.click(".conversation-tools button", "Pin")
    tab.wait(".conversation-tools button", "Unpin")
    assert tab.wait("#edit-label").get_attribute("value") == "Greeting"
    tab.click(".edit button", "Save")
    tab.wait("main h1", "Greeting")
    assert client.get(f"/conversations/{stored['id']}").json()["tags"] == ["a, b", "c"]


def test_what_is_being_written_of_a_profile_stays_and_none_is_dropped(
    tab: Tab, client: httpx.Client
) -> None:
    client.put("/users/pam/consent", json={"purposes": {"profile": True}}).raise_for_status()
    tab.open("/ui/person?user=pam")
    tab.fill("#notes", "Not saved yet.")
    tab.click("#consent-facts")
    tab.wait("#consent-facts:checked")
    tab.until(lambda: client.get("/users/pam/consent").json()["purposes"]["facts"])
    assert tab.wait("#notes").get_attribute("value") == "Not saved yet."
    tab.click("#preferences-add")
    tab.fill("[aria-label='Preferences: value of this']", "vim")
    tab.click("button", "Save the profile")
    tab.wait("[role=alert]", "“vim” has no name")
    tab.fill("[aria-label='Preferences: name']", "editor")
    tab.click("#preferences-add")
    tab.fill(".row:last-of-type [aria-label='Preferences: name']", "editor")
    tab.click("button", "Save the profile")
    tab.wait("[role=alert]", "two rows are called “editor”")


def test_a_refusal_ends_with_the_user_it_was_told_of(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    tab.troubled("/context", "POST", status=BUSY)
    tab.fill("#query", "Which database?")
    tab.click("button", "Build the context")
    tab.wait("[role=alert]", "Trouble")
    tab.fill("#user", f"nobody{Keys.ENTER}")
    tab.gone("[role=alert]")


def test_entities_that_are_called_otherwise_are_not_called_none(tab: Tab, house: Any) -> None:
    tab.open("/ui/memory/entities?user=ellen")
    tab.wait(".empty", "No entities yet of ellen")
    tab.fill("#entity-name", "zzz")
    tab.wait(".empty", "No entity is called so")
