"""How things stand and look: what is wide, what is alike, and what must not move."""

from typing import Any

import httpx
import pytest

from tests.ui.browser import Tab
from tests.ui.test_odd_words import TOO_WIDE
from tests.ui.test_use import CONTRAST, PATHS

LONG_USER = "somebody-with-a-name-that-is-long-" + "x" * 60 + "@example.com"
PARTS = (
    "history message chunk summary fact tool procedure document entity profile layout".split(),
    "profile episodic embed lexical relational semantic rerank hydrate".split(),
)
COLOURS = """
return arguments[0].map((name) => {
  const dot = document.createElement("span");
  dot.className = `dot tone-${name}`;
  document.body.append(dot);
  return getComputedStyle(dot).backgroundColor;
});
"""
LINES = """
const range = document.createRange();
range.selectNodeContents(arguments[0]);
return range.getClientRects().length;
"""
PLACES = """
const left = (each) => each.getBoundingClientRect().left;
return [...document.querySelectorAll(arguments[0])].map(left);
"""


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("names", PARTS)
def test_what_stands_in_one_bar_has_a_colour_of_its_own(
    tab: Tab, theme: str, names: list[str]
) -> None:
    tab.shape(1280, 900, theme)
    tab.open("/ui/nothing")
    assert len(set(tab.run(COLOURS, names))) == len(names)


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("width", [640, 320])
def test_every_page_can_be_made_larger(tab: Tab, stored: Any, path: str, width: int) -> None:
    """Twice and four times as large as on a screen of 1280: nothing is beside the screen."""
    tab.shape(width, 450)
    tab.open(f"{path}?user={stored['user']}")
    tab.gone(".waiting")
    assert not tab.run(TOO_WIDE)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_user_may_have_a_long_name(tab: Tab, client: httpx.Client, width: int) -> None:
    body = {"purposes": {"profile": True}}
    client.put(f"/users/{LONG_USER}/consent", json=body).raise_for_status()
    tab.shape(width, 844)
    tab.open(f"/ui/person?user={LONG_USER}")
    tab.wait("#notes")
    assert not tab.run(TOO_WIDE)
    tab.click("button", "Erase everything")
    assert LONG_USER in tab.wait("dialog h2").text


def test_words_of_a_table_are_whole_on_a_small_screen(tab: Tab, stored: Any) -> None:
    tab.shape(320, 844)
    tab.open(f"/ui/conversations/{stored['chat-42']['id']}?user={stored['user']}")
    cells = tab.until(lambda: tab.all(".formatted :is(th, td)"))
    for word in ("store", "PostgreSQL", "Qdrant"):
        (cell,) = [each for each in cells if each.text == word]
        assert tab.run(LINES, cell) == 1
    assert not tab.run(TOO_WIDE)


@pytest.mark.parametrize("row", [".top nav a", ".subnav a"])
def test_names_of_places_stand_still_wherever_one_is(tab: Tab, row: str) -> None:
    tab.open("/ui/memory/facts")
    before = tab.run(PLACES, row)
    tab.click(row, "Metrics" if row.startswith(".top") else "Documents")
    tab.wait(f"{row}[aria-current]:not([data-name=Memory], [data-name=Facts])")
    assert tab.run(PLACES, row) == before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_picture_of_entities_tells_what_its_colours_mean(
    tab: Tab, client: httpx.Client, theme: str
) -> None:
    said = "Maria Keller works at Acme Labs. Acme Labs is based in Lisbon."
    body = {"user_id": "pic", "messages": [{"role": "user", "content": said}]}
    client.post("/conversations", json=body).raise_for_status()
    of = {"user_id": "pic", "q": "Acme"}
    listed = tab.until(lambda: client.get("/entities", params=of).json()["items"])
    path = f"/entities/{listed[0]['id']}"
    tab.until(lambda: client.get(path).json()["edges"])
    tab.shape(1280, 900, theme)
    tab.open(f"/ui/memory{path}?user=pic")
    told = {each.text for each in tab.until(lambda: tab.all(".legend li"))}
    assert told == {"organisation", "person", "place"}
    assert "unknown" not in tab.text()
    assert tab.run(CONTRAST) == []


def test_switches_are_seen_where_the_system_has_colours_of_its_own(tab: Tab) -> None:
    own = {"features": [{"name": "forced-colors", "value": "active"}]}
    tab.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", own)
    tab.open("/ui/person?user=forced")
    tab.wait("#consent-profile")
    colours = """
    const of = (each) => getComputedStyle(each).backgroundColor;
    return [of(document.querySelector(".switch")), of(document.querySelector(".card"))];
    """
    switch, card = tab.run(colours)
    assert switch != card
