"""By keyboard, by screen reader, on small screens, in both themes, and with keys."""

from pathlib import Path
from typing import Any

import httpx
import pytest
from selenium.webdriver.common.keys import Keys

from tests.api.serving import run, serving
from tests.ui.browser import Tab, browsing, require_browser

PATHS = [
    "/ui",
    "/ui/conversations",
    "/ui/memory/facts",
    "/ui/memory/entities",
    "/ui/person",
    "/ui/metrics",
    "/ui/settings",
    "/ui/jobs",
]
UNNAMED = """
const shown = (each) => each.checkVisibility();
const named = (each) => (each.labels && each.labels.length) || each.getAttribute("aria-label")
  || each.getAttribute("aria-labelledby") || each.textContent.trim();
const some = "a, button, input, select, textarea, summary, [role=img], svg[role]";
return [...document.querySelectorAll(some)]
  .filter((each) => shown(each) && !named(each)).map((each) => each.outerHTML);
"""
CONTRAST = """
const channel = (c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
const read = (text) => text.match(/[\\d.]+/g).map(Number);
const behind = (each) => {
  for (; each; each = each.parentElement) {
    const colour = read(getComputedStyle(each).backgroundColor);
    if (colour.length === 3 || colour[3] === 1) return colour;
  }
  return [255, 255, 255];
};
const seen = (each) => each ? Number(getComputedStyle(each).opacity) * seen(each.parentElement) : 1;
const says = (each) => [...each.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
const shown = (each) => says(each) && each.checkVisibility();
return [...document.querySelectorAll("body *")].filter((each) => shown(each)
    && !each.closest("[disabled], .unseen, .skip, svg, option, [aria-busy=true]")).map((each) => {
  const [ink, ground] = [read(getComputedStyle(each).color), behind(each)];
  const over = (c, at) => ground[at] + (c - ground[at]) * seen(each);
  const [a, b] = [light(ink.slice(0, 3).map(over)), light(ground)];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return [ratio, each.outerHTML.slice(0, 120)];
}).filter(([ratio]) => ratio < 4.5);
"""


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_page_fits_its_screen_and_can_be_read(
    tab: Tab, stored: Any, path: str, theme: str
) -> None:
    for width in (390, 1280):
        tab.shape(width, 844, theme)
        tab.open(f"{path}?user={stored['user']}")
        tab.gone(".waiting")
        assert tab.run("return document.documentElement.scrollWidth") <= width
        assert tab.run(UNNAMED) == []
        assert tab.run(CONTRAST) == []


@pytest.mark.parametrize("path", PATHS)
def test_every_page_has_landmarks_and_one_heading_of_the_first_order(
    tab: Tab, house: Any, path: str
) -> None:
    tab.open(path)
    for landmark in ("header", "nav", "main"):
        assert len(tab.all(f"#app {landmark}")) >= 1
    assert len([each for each in tab.all("h1") if each.is_displayed()]) == 1
    assert tab.driver.title.endswith("Foreword")
    assert tab.run("return document.documentElement.lang") == "en"
    ids = tab.run("return [...document.querySelectorAll('[id]')].map((each) => each.id)")
    assert len(ids) == len(set(ids))


def test_the_keyboard_is_enough(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    press(tab, Keys.TAB)
    assert focus(tab) == "Skip to the content"
    press(tab, Keys.ENTER)
    assert tab.run("return document.activeElement.id") == "main"
    press(tab, "/")
    assert tab.run("return document.activeElement.id") == "query"
    press(tab, "What is the cat called?")
    press(tab, Keys.ENTER)
    tab.wait(".candidate")
    tab.run("document.querySelector('[role=tab][aria-selected=true]').focus()")
    press(tab, Keys.ARROW_RIGHT)
    assert focus(tab) == "As the model sees it"
    assert tab.wait(".as-text pre")
    press(tab, Keys.END)
    assert focus(tab).startswith("Left out")


def press(tab: Tab, keys: str) -> None:
    tab.driver.switch_to.active_element.send_keys(keys)


def focus(tab: Tab) -> str:
    return tab.driver.switch_to.active_element.text


def test_a_dialog_takes_the_focus_and_gives_it_back(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations/{stored['chat-44']['id']}?user={stored['user']}")
    tab.click(".conversation-tools button", "Delete")
    tab.wait("dialog")
    assert tab.run("return document.activeElement.closest('dialog') !== null")
    press(tab, Keys.ESCAPE)
    tab.gone("dialog")
    assert focus(tab) == "Delete"


def test_going_elsewhere_moves_the_focus_and_the_title(tab: Tab, house: Any) -> None:
    tab.open("/ui")
    tab.click("nav a", "Settings")
    tab.wait("main h1", "Settings")
    assert tab.run("return document.activeElement.id") == "main"
    tab.until(lambda: tab.driver.title == "Settings · Foreword")
    tab.driver.back()
    tab.wait("main h1", "Inspector")


def test_a_chosen_theme_stays(tab: Tab, house: Any) -> None:
    tab.open("/ui")
    tab.click(".theme")
    tab.click(".theme")
    tab.driver.refresh()
    tab.wait("main h1")
    assert tab.run("return document.documentElement.dataset.theme") == "dark"
    tab.click(".theme")
    assert tab.run("return document.documentElement.dataset.theme || null") is None


def test_with_keys_it_asks_for_one_and_keeps_it_in_the_tab(tmp_path: Path) -> None:
    require_browser()
    made = run(
        tmp_path,
        "keys",
        "create",
        "--tenant",
        "local",
        "--name",
        "page",
        "--scopes",
        "read,write,admin",
        "--json",
    )
    assert made.returncode == 0, made.stderr
    key = made.stdout.split('"key": "')[1].split('"')[0]
    with serving(tmp_path) as server, browsing(tmp_path / "profile", server.url) as tab:
        tab.open("/ui/settings")
        tab.fill("dialog input", "fw_wrong")
        tab.click("dialog button")
        tab.wait("dialog .notice", "not known")
        tab.fill("dialog input", key)
        tab.click("dialog button")
        tab.wait("#flag-hybrid")
        tab.driver.refresh()
        tab.wait("#flag-hybrid")
        kept = "return JSON.stringify([{...localStorage}, document.cookie])"
        assert key not in tab.run(kept)
        tab.driver.switch_to.new_window("tab")
        tab.open("/ui/settings")
        assert tab.wait("dialog input")
        assert tab.complaints("401") == []


def test_without_the_service_the_page_says_so(tmp_path: Path) -> None:
    require_browser()
    with serving(tmp_path) as server, browsing(tmp_path / "profile", server.url) as tab:
        tab.open("/ui/settings")
        tab.wait("#flag-hybrid")
        server.kill()
        tab.click("#flag-hybrid")
        assert tab.wait("[role=alert]", "does not answer")


def test_a_first_visit_loads_little_and_quickly(tab: Tab, client: httpx.Client) -> None:
    tab.open("/ui")
    loaded = tab.run("return performance.getEntriesByType('resource').map((each) => each.name)")
    assert all(name.startswith(tab.url) for name in loaded)
    size = sum(
        int(client.get(name, headers={"Accept-Encoding": "gzip"}).headers["content-length"])
        for name in loaded
        if "/ui/assets/" in name
    )
    assert size < 60_000


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_code_can_be_read(tab: Tab, stored: Any, theme: str) -> None:
    tab.shape(1280, 844, theme)
    tab.open(f"/ui/conversations/{stored['chat-42']['id']}?user={stored['user']}")
    tab.wait(".hljs-title")
    assert tab.run(CONTRAST) == []


def test_what_is_deleted_is_named_and_leaves_the_focus_beside_it(
    tab: Tab, client: httpx.Client
) -> None:
    for place in ("Lisbon", "Porto"):
        told = {"type": "fact", "user_id": "fox", "content": f"Fox knows {place}."}
        client.post("/memories", json=told).raise_for_status()
    tab.open("/ui/memory/facts?user=fox")
    tab.wait(".item .formatted", "Porto")
    tab.click("[aria-label='Delete “Fox knows Porto.”']")
    tab.wait("dialog", "Fox knows Porto.")
    tab.click("dialog .button-danger")
    tab.click("dialog button", "Close")
    tab.until(lambda: len(tab.all(".item")) == 1)
    tab.until(lambda: "Fox knows Lisbon." in focus(tab))
    (left,) = client.get("/memories?user_id=fox&type=fact").json()["items"]
    tab.open(f"/ui/memory/facts/{left['id']}?user=fox")
    tab.click(".item button", "Delete")
    tab.click("dialog .button-danger")
    tab.click("dialog button", "Close")
    tab.wait(".empty", "No facts yet of fox")


def test_of_a_document_it_is_said_whose_it_is(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/memory/documents?user={stored['user']}")
    tab.click(".item button", "Delete")
    assert tab.wait("dialog", "all users of the tenant")


def test_what_is_taken_out_does_not_take_the_focus_with_it(tab: Tab, client: httpx.Client) -> None:
    client.put("/flags", json={"token_budget": 3999}).raise_for_status()
    tab.open("/ui/settings")
    tab.click(".flag button.link", "Back to")
    tab.gone(".flag button.link", "Back to")
    tab.until(lambda: tab.run("return document.activeElement.id") == "flag-token_budget")
    tab.troubled("/memories", status=503)
    tab.click("nav a", "Memory")
    tab.wait("[role=alert]", "Trouble")
    tab.untroubled()
    tab.click("[role=alert] button", "Try again")
    tab.gone("[role=alert]")
    assert tab.run("return document.activeElement.id") == "main"


def test_a_key_that_cannot_be_sent_is_refused_with_the_reason(tab: Tab, house: Any) -> None:
    tab.open("/ui/settings")
    tab.run("sessionStorage.setItem('foreword.key', 'fw_\u0142')")
    tab.driver.refresh()
    tab.wait("dialog .notice", "not known")
    tab.fill("dialog input", "fw_\u0142")
    tab.click("dialog button")
    tab.wait("dialog .notice", "plain ASCII")
    tab.fill("dialog input", "fw_good")
    tab.click("dialog button")
    tab.wait("#flag-hybrid")
    tab.until(lambda: tab.run("return document.activeElement.id") == "main")
    tab.run("sessionStorage.removeItem('foreword.key')")
