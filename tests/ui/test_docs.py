"""What the API takes and answers, in a browser that reaches nothing but the service."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api.serving import run, serving
from tests.ui.browser import Tab, browsing, require_browser

LOADED = "return performance.getEntriesByType('resource').map((each) => each.name)"


def look(tab: Tab) -> None:
    tab.driver.get(f"{tab.url}/docs")
    tab.wait(".opblock-summary-path")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_operation_is_shown_and_nothing_comes_from_elsewhere(
    tab: Tab, client: httpx.Client, theme: str
) -> None:
    tab.shape(1280, 900, theme)
    look(tab)
    paths = client.get("/openapi.json").json()["paths"]
    assert len(tab.all(".opblock")) == sum(len(operations) for operations in paths.values())
    assert tab.one("h1, h2", "Foreword")
    loaded = tab.run(LOADED)
    assert any(each.endswith("/swagger-ui-bundle.js") for each in loaded)
    assert [each for each in loaded if not each.startswith((f"{tab.url}/", "data:"))] == []
    colour = tab.run("return getComputedStyle(document.documentElement).backgroundColor")
    assert (colour == "rgb(28, 32, 34)") == (theme == "dark"), colour


def test_an_operation_is_opened_and_tried(tab: Tab, house: Any) -> None:
    look(tab)
    tab.click("[id$=healthz_get] .opblock-summary-control")
    tab.wait("[id$=healthz_get] .responses-table")
    tab.click("[id$=healthz_get] .try-out__btn")
    tab.click("[id$=healthz_get] .execute")
    assert tab.wait("[id$=healthz_get] .live-responses-table .response-col_status", "200")


def test_with_keys_it_is_shown_without_one_and_asks_with_the_one_it_is_told(tmp_path: Path) -> None:
    require_browser()
    made = run(tmp_path, "keys", "create", "--tenant", "local", "--name", "docs", "--json")
    key = made.stdout.split('"key": "')[1].split('"')[0]
    with serving(tmp_path) as server, browsing(tmp_path / "profile", server.url) as tab:
        look(tab)
        tab.click("button.authorize")
        tab.fill("#auth-bearer-value", key)
        tab.click(".auth-btn-wrapper .authorize")
        tab.click(".auth-btn-wrapper .btn-done")
        tab.click("[id$=list_conversations_conversations_get] .opblock-summary-control")
        tab.click("[id$=list_conversations_conversations_get] .try-out__btn")
        tab.click("[id$=list_conversations_conversations_get] .execute")
        tab.wait(".live-responses-table .response-col_status", "200")
        assert tab.complaints() == []
