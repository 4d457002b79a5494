"""The inspector, in a browser: ask, see why, weigh anew, compare, come back."""

import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from tests.api.serving import Server
from tests.ui.browser import Tab

QUERY = "Which database did we pick for the backend?"
PICKED = "We picked PostgreSQL for the backend"


def asked(tab: Tab, user: str, query: str = QUERY) -> None:
    tab.open(f"/ui?user={user}")
    tab.fill("#query", query)
    tab.click("button", "Build the context")
    tab.wait(".summary")


def texts(tab: Tab) -> list[str]:
    return [each.text for each in tab.all(".candidate .said")]


def relevances(tab: Tab) -> list[float]:
    return [float(each.text.split()[1]) for each in tab.all(".bars .bar:first-child")]


def is_by_relevance(tab: Tab) -> bool:
    found = relevances(tab)
    return len(found) > 1 and found == sorted(found, reverse=True)


def weigh(tab: Tab, name: str, value: float) -> None:
    """As a hand on the slider: it moves, then it is let go."""
    script = """
    const slider = document.getElementById(arguments[0]);
    slider.value = arguments[1];
    for (const name of ["input", "change"]) slider.dispatchEvent(new Event(name, {bubbles: true}));
    """
    tab.run(script, f"weight-{name}", value)


def test_what_answers_a_question_says_so_and_its_parts_add_up(
    tab: Tab, client: httpx.Client
) -> None:
    told = {"user_id": "mover", "messages": [{"role": "user", "content": "We moved to Porto."}]}
    client.post("/conversations?wait=indexed", json=told).raise_for_status()
    facts = {"type": "fact", "user_id": "mover"}
    while not client.get("/memories", params=facts).json()["items"]:
        time.sleep(0.1)
    asked(tab, "mover", "Where do I live?")
    first = tab.wait(".candidate")
    assert "answers the question" in first.text
    parts = tab.text(".candidate .score-parts + .unseen")
    *given, score = (float(each) for each in re.findall(r"\d\.\d+", parts))
    assert sum(given) == pytest.approx(score, abs=0.02)


def test_every_candidate_is_shown_with_what_spoke_for_it(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    candidates = tab.all(".candidate")
    assert len(candidates) > 5
    picked = next(each for each in candidates if PICKED in each.text)
    assert "in the bundle" in picked.text
    for signal in ("relevance", "semantic", "lexical", "recency", "importance"):
        assert signal in picked.text
    tab.click(".candidate summary", "Why this relevance")
    assert tab.wait(".candidate .adds tbody tr")
    assert "semantic" in tab.text(".waterfall")
    assert "of 4,000 tokens" in tab.text(".budget")


def test_the_bundle_is_shown_as_the_model_sees_it(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("[role=tab]", "As the model sees it")
    text = tab.text(".as-text pre")
    assert f"> {PICKED}" in text
    assert text.startswith("# Memory")


def test_what_was_left_out_is_told_with_its_reason(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"], "Which database did we pick?")
    tab.fill("#budget", "60")
    tab.click("button", "Build the context")
    tab.until(lambda: "of 60 tokens" in tab.text(".budget"))
    assert tab.one(".candidate .chip", "left out:")
    tab.click("[role=tab]", "Left out")
    assert tab.wait(".left-out h3")


def test_what_was_found_and_cut_off_is_told_in_full(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.fill("#minScore", "0.6")
    tab.click("button", "Build the context")
    tab.click("[role=tab]", "Left out")
    tab.wait(".left-out h3", "below min_score")
    known = tab.all(".left-known")
    assert len(known) == len(tab.all(".left-out li"))
    assert any("Tomatoes" in each.text for each in known)
    for signal in ("relevance", "recency", "importance"):
        assert signal in known[0].text
    tab.click(".left-known summary", "Why this relevance")
    assert tab.wait(".left-known .adds tbody tr")


def test_a_bundle_of_before_tells_what_it_left_out_by_what_that_is(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.fill("#minScore", "1.4")
    tab.click("button", "Build the context")
    tab.wait(".summary", "0 memories")
    tab.click(".permalink")
    tab.until(lambda: "/ui/bundles/" in tab.driver.current_url)
    for kind in ("message", "fact"):
        row = tab.wait(".left-out li", kind)
        row.find_element("css selector", ".link").click()
    tab.until(lambda: len(tab.all(".left-out .said")) == 2)


def test_a_filter_holds(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("summary", "Filters")
    tab.click(".choice", "tool")
    tab.click("button", "Build the context")
    tab.until(lambda: {each.text for each in tab.all(".candidate .type")} == {"tool result"})


def choose(tab: Tab, name: str, *labels: str) -> None:
    chosen = Select(tab.wait(f"#{name}"))
    tab.until(lambda: len(chosen.options) > 1)
    for label in labels:
        chosen.select_by_visible_text(label)


def talks(tab: Tab) -> set[str]:
    """The conversations that the candidates are of."""
    return {each.text for each in tab.all(".candidate .meta a")} & {"API design", "Garden"}


def test_conversations_are_searched_alone_or_left_out(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"], "Where is the database, and who is in the greenhouse?")
    tab.until(lambda: talks(tab) == {"API design", "Garden"})
    tab.click("summary", "Filters")
    choose(tab, "inside", "API design", "Search quality")
    tab.click("button", "Build the context")
    tab.until(lambda: talks(tab) == {"API design"})
    Select(tab.wait("#inside")).deselect_all()
    choose(tab, "outside", "API design")
    tab.click("button", "Build the context")
    tab.until(lambda: talks(tab) == {"Garden"})


def test_a_comparison_names_all_that_differs(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("button", "Keep, to compare")
    tab.click("summary", "Filters")
    choose(tab, "conversation", "Garden")
    choose(tab, "outside", "Search quality")
    for name, value in (("items", "7"), ("history", "3"), ("minScore", "0.1")):
        tab.fill(f"#{name}", value)
    for name in ("after", "before", "asOf"):
        tab.run(SET_MOMENT, name, {"after": "2025", "before": "2089", "asOf": "2090"}[name])
    tab.click("button", "Build the context")
    tab.until(lambda: "7 items at most" in tab.all(".sides section")[1].text)
    kept, now = (each.text for each in tab.all(".sides section .quiet:first-of-type"))
    for told in ("3 messages of history", "score from 0.1", "running “Garden”"):
        assert told in now
        assert told not in kept
    assert "not in “Search quality”" in now
    for told in ("said from 2 Jan 2025", "said before 2 Jan 2089", "as of 2 Jan 2090"):
        assert told.replace("2 Jan", "Jan 2,") in now


SET_MOMENT = """
const field = document.getElementById(arguments[0]);
field.value = arguments[1] + "-01-02T10:00";
field.dispatchEvent(new Event("input", {bubbles: true}));
"""


def test_a_weight_that_moves_changes_the_order(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.wait(".candidate")
    before = texts(tab)
    weigh(tab, "recency", 0)
    weigh(tab, "importance", 0)
    tab.until(lambda: is_by_relevance(tab) and texts(tab) != before)
    assert tab.one(".move")
    assert "stand elsewhere" in tab.text(".moved")
    assert "100 %" in tab.text(".weights")


def test_weights_move_while_an_answer_is_half_there(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    with tab.slow(bytes_per_second=30_000):
        for tenths in range(10):
            weigh(tab, "recency", tenths / 10)
            time.sleep(0.1)
    weigh(tab, "recency", 0)
    weigh(tab, "importance", 0)
    tab.until(lambda: is_by_relevance(tab))
    assert not tab.all("[role=alert]")


def test_another_question_moves_nothing(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    before = texts(tab)
    tab.fill("#query", "What is the cat called?")
    tab.click("button", "Build the context")
    tab.until(lambda: texts(tab) and texts(tab) != before)
    assert not tab.all(".move")


def test_an_answer_of_one_user_is_not_shown_of_another(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.fill("#query", "What is the cat called?")
    with tab.slow(bytes_per_second=30_000):
        tab.click("button", "Build the context")
        tab.fill("#user", f"nobody{Keys.ENTER}")
        tab.wait(".empty", "of nobody.")
    assert not tab.all(".summary")


def test_two_settings_stand_side_by_side(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click("button", "Keep, to compare")
    tab.fill("#query", "What is the cat called?")
    tab.click("button", "Build the context")
    tab.until(lambda: "Schnitzel" in tab.all(".sides section")[1].text)
    kept, now = tab.all(".sides section")
    assert QUERY in kept.text
    assert "cat" in now.text
    tab.click("button", "End")
    tab.gone(".sides")


def test_a_bundle_has_an_address_of_its_own(tab: Tab, client: httpx.Client, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click(".permalink")
    tab.until(lambda: "/ui/bundles/" in tab.driver.current_url)
    assert QUERY in tab.text(".question")
    assert any(PICKED in each for each in texts(tab))
    assert not tab.all(".candidate.out")
    client.delete(f"/users/{stored['user']}").raise_for_status()
    tab.driver.refresh()
    assert tab.wait(".empty", "kept for 7 days")
    assert tab.complaints(f"{tab.url}/bundles/") == []
    tab.open("/ui/bundles/no-id")
    assert tab.wait(".empty", "kept for 7 days")
    assert tab.complaints(f"{tab.url}/bundles/") == []


def test_a_bundle_of_before_shows_what_was_erased_as_that(
    tab: Tab, client: httpx.Client, stored: Any
) -> None:
    asked(tab, stored["user"])
    tab.click(".permalink")
    tab.until(lambda: "/ui/bundles/" in tab.driver.current_url)
    tab.wait(".question", QUERY)
    picked = next(each for each in tab.all(".candidate") if PICKED in each.text)
    whole = len(texts(tab))
    message = picked.find_element("css selector", ".meta a").get_attribute("href")
    client.delete(f"/messages/{str(message).rpartition('message=')[2]}").raise_for_status()
    tab.driver.refresh()
    tab.wait(".question", "What was asked is gone")
    gone = [each.text for each in tab.all(".candidate .empty")]
    assert set(gone) == {"Erased since."}
    assert len(texts(tab)) + len(gone) == whole
    assert not any(PICKED in each for each in texts(tab))
    assert tab.wait(".budget .legend li", "layout and what was erased")


def waterfall(tab: Tab) -> dict[str, float]:
    """Where the bar of each stage begins, as a share of its lane."""
    script = """
    return [...document.querySelectorAll(".waterfall tbody tr")].map((row) => [
      row.querySelector("th").textContent,
      parseFloat(row.querySelector(".lane .fill").style.marginLeft) / 100]);
    """
    return dict(tab.run(script))


def measured_by_an_older_release(database: Path, bundle_id: str) -> bool:
    """Take out of a receipt when each stage began; whether it was written yet."""
    with closing(sqlite3.connect(database, timeout=30)) as before, before:
        taken = before.execute(
            "UPDATE bundle SET answer = json_remove(answer, '$.starts') WHERE id = ?",
            [UUID(bundle_id).hex],
        )
        return taken.rowcount > 0


def test_the_waterfall_shows_when_each_stage_began(
    tab: Tab, client: httpx.Client, house: Server, stored: Any
) -> None:
    asked(tab, stored["user"])
    tab.click(".permalink")
    tab.until(lambda: "/ui/bundles/" in tab.driver.current_url)
    tab.wait(".waterfall")
    bundle = tab.driver.current_url.rpartition("/ui")[2]
    metadata = client.get(bundle).json()["metadata"]
    began, total = metadata["started_ms"], metadata["timings_ms"]["total"]
    expected = {stage: pytest.approx(at / total, abs=0.001) for stage, at in began.items()}
    assert waterfall(tab) == expected
    assert tab.text(".waterfall caption").startswith("Total ")
    assert "not measured" not in tab.text(".waterfall caption")

    database = house.output.parent / "data" / "foreword.db"
    tab.until(lambda: measured_by_an_older_release(database, bundle.rpartition("/")[2]))
    tab.driver.refresh()
    tab.wait(".waterfall caption", "when each began was not measured")
    supposed = waterfall(tab)
    assert supposed.keys() == expected.keys()
    assert supposed["semantic"] > supposed["lexical"] == 0


def test_a_candidate_leads_to_its_message(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.click(".candidate a", "API design")
    wanted = tab.wait(".message.wanted")
    assert wanted.text
    assert tab.text("main h1") == "API design"


def test_whose_memory_is_asked_is_told_before_anything_is(tab: Tab, stored: Any) -> None:
    tab.open("/ui?user=")
    assert "set at the top" in tab.text(".empty")
    tab.open("/ui/memory/facts?user=")
    assert "set at the top" in tab.text(".empty")
    tab.open(f"/ui?user={stored['user']}")
    assert f"of {stored['user']}." in tab.text(".empty")


def test_a_user_without_memory_gets_an_empty_answer(tab: Tab, house: Any) -> None:
    """Documents that other tests stored are everybody's, so the question is about none of them."""
    asked(tab, "nobody-at-all", "Where did Zoe leave her red umbrella?")
    assert "no likely answer" in tab.text(".summary")
    assert tab.wait(".empty", "Nothing in memory fits")


def test_what_the_service_refuses_is_told_in_its_words(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"])
    tab.fill("#minScore", "0.5")
    tab.run("document.querySelector('#budget').removeAttribute('min')")
    tab.fill("#budget", "-5")
    tab.click("button", "Build the context")
    told = tab.text("[role=alert]")
    assert "budget_tokens" in told
    assert told.count("The request does not have the documented shape.") == 1
    assert ".." not in told
    assert tab.complaints(f"{tab.url}/context ") == []
