"""Conversations, in a browser: found, read, labelled, moved, pinned, archived, deleted."""

from functools import partial
from typing import Any

import httpx
import pytest
from selenium.webdriver.common.keys import Keys

from tests.ui.browser import Tab

RING = 4
"""Pixels around what has the focus: the ring, and what lies in between."""

ATTRIBUTES = """
return [...document.querySelectorAll('.messages *')].flatMap((each) => each.getAttributeNames());
"""
TOUCH_EVERYTHING = """
for (const each of document.querySelectorAll('.messages .formatted *'))
  for (const name of ['mouseover', 'focus', 'load', 'error'])
    each.dispatchEvent(new Event(name, {bubbles: true}));
"""


def opened(tab: Tab, stored: Any, name: str = "chat-42") -> str:
    path = f"/conversations/{stored[name]['id']}"
    tab.open(f"/ui{path}?user={stored['user']}")
    tab.wait(".message .formatted > *")
    return path


def titles(tab: Tab) -> list[str]:
    return [each.text for each in tab.all(".entry-title")]


def test_more_of_one_list_is_not_put_behind_another(tab: Tab, client: httpx.Client) -> None:
    for user in ("ann", "bob"):
        for each in range(101):
            told = {"user_id": f"{user}-of-many", "external_id": f"{user} {each}"}
            client.post("/conversations", json={**told, "messages": []}).raise_for_status()
    tab.open("/ui/conversations?user=ann-of-many")
    tab.wait(".entry")
    with tab.slow(bytes_per_second=20_000):
        tab.click("button", "Show more")
        tab.fill("#user", f"bob-of-many{Keys.ENTER}")
        tab.until(lambda: any(title.startswith("bob ") for title in titles(tab)))
        tab.until(lambda: not tab.all("[aria-busy=true]"))
    assert len(titles(tab)) == 50
    assert all(title.startswith("bob ") for title in titles(tab))
    assert not tab.all("[role=alert]")


def test_conversations_are_listed_and_found(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.until(lambda: len(titles(tab)) == 4)
    tab.fill("#q", "search")
    tab.until(lambda: titles(tab) == ["Search quality"])
    tab.fill("#q", "")
    tab.fill("#tag", "rest")
    tab.until(lambda: titles(tab) == ["API design"])
    tab.click(".entry")
    tab.wait(".message", "Which database should the backend use?")


def test_conversations_are_dated_by_when_they_took_place(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.wait(".entry", "API design\nJan 10, 2026 · 6 messages")
    tab.click(".entry", "Garden")
    tab.wait(".conversation-head", "Mar 10, 2026")


def test_a_long_folder_and_the_ring_of_the_focus_are_whole(
    tab: Tab, client: httpx.Client, stored: Any
) -> None:
    path = f"/conversations/{stored['chat-44']['id']}"
    client.patch(path, json={"folder": "/a/very/long/folder" * 9}).raise_for_status()
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.wait(".entry", "/a/very/long")
    room = """
    const list = document.querySelector(".split-list").getBoundingClientRect();
    return document.querySelector("#q").getBoundingClientRect().left - list.left;
    """
    for width in (390, 1280):
        tab.shape(width, 844)
        wide = "return document.querySelector('.split-list').scrollWidth"
        assert tab.run(wide) <= tab.run("return document.querySelector('.split-list').clientWidth")
        assert tab.run(room) >= RING


def marked(tab: Tab) -> set[str]:
    return {each.text for each in tab.all(".passage mark")}


def test_a_conversation_is_found_by_what_was_said_in_it(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.fill("#q", "databases in Frankfurt")
    tab.wait(".passages h3", "API design")
    assert marked(tab) == {"database", "Frankfurt"}
    assert "passages in 2 conversations" in tab.text(".in-words [role=status]")
    tab.wait(".split-list .empty", "No conversation is called so.")
    tab.click(".passages button", "more passage")
    assert len(tab.all(".passages:first-of-type .passage")) > 3
    tab.fill("#tag", "search")
    tab.until(lambda: [each.text for each in tab.all(".passages h3")] == ["Search quality"])
    tab.fill("#tag", "")
    tab.fill("#q", "xylophone")
    tab.wait(".in-words .empty", "Nothing that was said fits.")
    tab.fill("#q", "x")
    tab.gone(".in-words")


def test_what_was_said_is_found_and_read_by_keyboard(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.wait(".entry")
    tab.one("body").send_keys("/")
    tab.until(lambda: tab.driver.switch_to.active_element == tab.one("#q"))
    tab.driver.switch_to.active_element.send_keys("Schnitzel")
    tab.wait(".passage mark", "Schnitzel")
    tab.gone(".entry-title")
    for key, place in ((Keys.ARROW_DOWN, 0), (Keys.ARROW_DOWN, 1), (Keys.ARROW_UP, 0)):
        tab.driver.switch_to.active_element.send_keys(key)
        assert tab.driver.switch_to.active_element == tab.all(".passage")[place]
    chosen = tab.driver.switch_to.active_element.text
    tab.driver.switch_to.active_element.send_keys(Keys.ENTER)
    assert tab.wait(".message.wanted .formatted > *").text in chosen
    assert tab.text("main h1") == "Garden"


def test_a_hostile_passage_is_shown_and_never_run(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.fill("#q", "broken script onerror")
    tab.wait(".passage mark", "onerror")
    assert tab.run("return window.broken") is None
    assert tab.all(".passage img, .passage script, .passage svg") == []


def test_markdown_and_code_are_read_as_such(tab: Tab, stored: Any) -> None:
    opened(tab, stored)
    assert tab.wait(".message pre code .hljs-keyword", "def")
    assert tab.one(".message td code", "tsvector")
    link = tab.one(".message a", "the manual")
    assert link.get_attribute("href") == "https://www.postgresql.org/docs/"
    assert "noopener" in str(link.get_attribute("rel"))


def test_a_label_a_folder_and_tags_are_changed(tab: Tab, client: httpx.Client, stored: Any) -> None:
    path = opened(tab, stored)
    tab.click("summary", "Label, folder, tags")
    tab.fill("#edit-label", "Storage <i>choices</i>")
    tab.fill("#edit-folder", "/archive")
    tab.fill("#edit-tags", "one, two,two")
    tab.click("button", "Save")
    tab.until(lambda: tab.text("main h1") == "Storage <i>choices</i>")
    it = client.get(path).json()
    assert (it["folder"], it["tags"]) == ("/archive", ["one", "two"])
    tab.until(lambda: "Storage <i>choices</i>" in titles(tab))


def test_it_is_pinned_and_archived_and_back(tab: Tab, client: httpx.Client, stored: Any) -> None:
    path = opened(tab, stored)
    for button, back, name, on, off in (
        ("Pin", "Unpin", "importance", 10, 5),
        ("Archive", "Bring back", "archived", True, False),
    ):
        tab.click(".conversation-tools button", button)
        tab.wait(".conversation-tools button", back)
        assert client.get(path).json()[name] == on
        tab.click(".conversation-tools button", back)
        tab.until(partial(tab.one, ".conversation-tools button", button))
        assert client.get(path).json()[name] == off


def test_deleting_shows_the_receipt(tab: Tab, client: httpx.Client, stored: Any) -> None:
    path = opened(tab, stored)
    tab.click(".conversation-tools button", "Delete")
    tab.click("dialog button", "Keep it")
    tab.gone("dialog")
    assert client.get(path).status_code == 200
    tab.click(".conversation-tools button", "Delete")
    tab.click("dialog .button-danger")
    receipt = tab.text("dialog .receipt")
    assert "messages 6" in receipt
    assert "nothing is left" in receipt
    tab.click("dialog button", "Close")
    tab.until(lambda: len(titles(tab)) == 3)
    assert client.get(path).status_code == 404


def test_one_message_is_deleted(tab: Tab, client: httpx.Client, stored: Any) -> None:
    path = opened(tab, stored, "chat-44")
    tab.click(".message .button-quiet")
    tab.click("dialog .button-danger")
    tab.wait("dialog .receipt", "messages 1")
    tab.click("dialog button", "Close")
    tab.until(lambda: len(tab.all(".message")) == 1)
    assert client.get(path).json()["message_count"] == 1


def test_what_is_hostile_is_shown_and_never_run(tab: Tab, stored: Any) -> None:
    opened(tab, stored, "chat-45")
    shown = tab.text(".message")
    assert '<script>window.broken = "script"</script>' in shown
    assert "onerror=" in shown
    assert tab.run("return window.broken") is None
    attributes = tab.run(ATTRIBUTES)
    assert not [name for name in attributes if name.startswith("on")]
    targets = tab.run(
        "return [...document.querySelectorAll('.messages a')].map((each) => each.href)"
    )
    assert all(target.startswith(("https://", "http://", "mailto:")) for target in targets)
    for tag in ("script", "img", "iframe", "svg", "style", "object", "form"):
        assert tab.all(f".messages {tag}") == []


@pytest.mark.parametrize(
    "said",
    [
        "[x](javascript:window.broken=1)",
        "[x](&#106;avascript:window.broken=1)",
        "[x](vbscript:x) <javascript:window.broken=1>",
        '<https://a.example/"onmouseover=window.broken=1//>',
        "![x](javascript:window.broken=1) ![y](/ui/assets/x.png)",
        "<a href='java\tscript:window.broken=1'>x</a><base href=//evil.example>",
        "<math><mtext><table><mglyph><style><img src=x onerror=window.broken=1>",
        "<form><input name=attributes><button formaction=javascript:window.broken=1>",
        "```<img/src=x/onerror=window.broken=1>\n<img src=x onerror=window.broken=1>\n```",
        "# <img src=x onerror=window.broken=1>\n\n| <svg onload=window.broken=1> |\n| --- |\n| x |",
    ],
)
def test_markup_has_no_way_in(tab: Tab, client: httpx.Client, said: str) -> None:
    body = {"messages": [{"role": "user", "content": said}], "user_id": "mallory"}
    made = client.post("/conversations", json=body).json()
    tab.open(f"/ui/conversations/{made['id']}?user=mallory")
    tab.wait(".message .formatted > *")
    targets = [str(each.get_attribute("href")) for each in tab.all(".messages a[href]")]
    assert all(each.startswith(("https://", "http://", "mailto:")) for each in targets)
    tab.run(TOUCH_EVERYTHING)
    assert tab.run("return window.broken") is None
    assert (
        tab.all(".messages img, .messages svg, .messages form, .messages base, .messages style")
        == []
    )


def test_text_cannot_become_markup_but_through_the_sanitizer(tab: Tab, house: Any) -> None:
    tab.open("/ui")
    refused = tab.run(
        "try { document.createElement('div').innerHTML = '<b>x</b>'; return null }"
        "catch (error) { return error.name }"
    )
    assert refused == "TypeError"
    assert tab.run("return window.refused") == ["require-trusted-types-for trusted-types-sink"]
    tab.run("window.refused = []")
    assert tab.complaints("TrustedHTML") == []


def test_a_very_long_message_is_shown_in_part(tab: Tab, client: httpx.Client) -> None:
    body = {"messages": [{"role": "user", "content": "Long words. " * 20_000}], "user_id": "long"}
    made = client.post("/conversations", json=body).json()
    tab.open(f"/ui/conversations/{made['id']}?user=long")
    before = len(tab.wait(".message pre").text)
    tab.click(".message .link", "Show more")
    tab.until(lambda: len(tab.one(".message pre").text) > before)


def test_long_conversations_come_in_pages(tab: Tab, client: httpx.Client) -> None:
    said = [{"role": "user", "content": f"Message number {n}."} for n in range(130)]
    made = client.post("/conversations", json={"messages": said, "user_id": "many"}).json()
    tab.open(f"/ui/conversations/{made['id']}?user=many")
    tab.until(lambda: len(tab.all(".message")) == 50)
    tab.click("button", "Show more")
    tab.until(lambda: len(tab.all(".message")) == 100)
    tab.open(f"/ui/conversations/{made['id']}?user=many&message={made['message_ids'][120]}")
    assert "Message number 120." in tab.wait(".message.wanted").text


def test_a_conversation_that_is_not_there_is_told(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.driver.get(f"{tab.url}/ui/conversations/00000000-0000-7000-8000-000000000000")
    assert "no such conversation" in tab.text("[role=alert]").lower()
    assert tab.complaints(f"{tab.url}/conversations/0000") == []
    tab.driver.get(f"{tab.url}/ui/conversations/no-id")
    assert tab.wait(".empty", "no conversation under this address")
    assert tab.complaints(f"{tab.url}/conversations/no-id") == []


def test_on_a_narrow_screen_deleting_stands_beside_who_spoke(
    tab: Tab, stored: dict[str, Any]
) -> None:
    tab.shape(390, 844)
    tab.open(f"/ui/conversations/{stored['chat-44']['id']}?user={stored['user']}")
    who, button = tab.wait(".message strong"), tab.wait(".message .meta-end button")
    assert button.rect["y"] < who.rect["y"] + who.rect["height"]
    assert button.rect["x"] + button.rect["width"] <= 390
    assert tab.run("return document.documentElement.scrollWidth") <= 390


def test_switches_of_settings_stand_at_the_edge_of_their_card(tab: Tab) -> None:
    tab.open("/ui/settings")
    row, switch = tab.wait(".flag .switch-row"), tab.wait(".flag .switch")
    card = tab.wait(".settings .card")
    right = card.rect["x"] + card.rect["width"]
    assert right - 40 < switch.rect["x"] + switch.rect["width"] < right
    assert row.rect["width"] > card.rect["width"] - 60
