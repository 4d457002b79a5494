"""Words that are long, that go the other way, or that stand where nobody expects them."""

from collections.abc import Sequence
from typing import Any

import httpx
import pytest

from tests.exports import ASKED, HUGIN, MUNIN, chatgpt_conversation, spelled
from tests.ui.browser import Tab

LONG = "unbroken" * 31
ARABIC = "متى يغادر القطار إلى فيينا؟"
ARABIC_ANSWER = "يغادر القطار إلى فيينا في الساعة التاسعة صباحا"
WIDTHS = (1280, 390)
TOO_WIDE = "return document.documentElement.scrollWidth > document.documentElement.clientWidth;"
NOWHERE = "00000000-0000-4000-8000-000000000000"


def place(tab: Tab, selector: str) -> tuple[float, float]:
    """What is left free beside the first line of a text, on its left and on its right."""
    script = """
    const [it] = arguments, range = document.createRange();
    range.selectNodeContents(it);
    const [line, room] = [range.getClientRects()[0], it.getBoundingClientRect()];
    return [line.left - room.left, room.right - line.right];
    """
    left, right = tab.run(script, tab.wait(selector))
    return left, right


@pytest.fixture
def odd(client: httpx.Client, request: pytest.FixtureRequest) -> dict[str, Any]:
    user = f"odd-{request.node.originalname}"
    said = [{"role": "user", "content": each} for each in (f"{LONG} harbour", ARABIC, "harbour")]
    told = {
        "user_id": user,
        "external_id": "w" * 255,
        "label": LONG,
        "folder": f"/{LONG}",
        "messages": said,
    }
    stored = client.post("/conversations", json=told, params={"wait": "indexed"})
    return {"user": user, **stored.raise_for_status().json()}


def asked(tab: Tab, user: str, question: str) -> None:
    tab.open(f"/ui?user={user}")
    tab.fill("#query", question)
    tab.click("button", "Build the context")
    tab.wait(".candidate .bar")


@pytest.mark.parametrize("width", WIDTHS)
def test_no_word_is_too_long_for_the_page(tab: Tab, odd: Any, width: int) -> None:
    tab.shape(width, 900)
    asked(tab, odd["user"], "harbour")
    assert not tab.run(TOO_WIDE)
    tab.open(f"/ui/conversations/{odd['id']}?user={odd['user']}")
    tab.wait(".message .formatted > *")
    assert not tab.run(TOO_WIDE)


def test_what_is_written_from_the_right_stands_there(
    tab: Tab, client: httpx.Client, odd: Any
) -> None:
    answer = {"user_id": odd["user"], "messages": [{"role": "user", "content": ARABIC_ANSWER}]}
    client.post("/conversations", json=answer, params={"wait": "indexed"}).raise_for_status()
    tab.open(f"/ui/conversations/{odd['id']}?user={odd['user']}")
    tab.wait(".message .formatted > *")
    left, right = place(tab, "li:nth-child(2) .formatted > p")
    assert left > right
    left, right = place(tab, "li:nth-child(3) .formatted > p")
    assert left < right
    asked(tab, odd["user"], ARABIC)
    left, right = place(tab, ".candidate .said")
    assert left > right


def test_a_part_of_a_message_is_called_so_wherever_it_is_told(
    tab: Tab, client: httpx.Client
) -> None:
    sentences = " ".join(f"The light number {each} of the harbour is green." for each in range(90))
    told = {"user_id": "parts", "messages": [{"role": "user", "content": sentences}]}
    client.post("/conversations", json=told, params={"wait": "indexed"}).raise_for_status()
    asked(tab, "parts", "Which colour has the light number 77?")
    assert tab.wait(".candidate .type", "part of a message")
    assert tab.wait(".budget .legend li", "part of a message")
    tab.click("summary", "Filters")
    assert tab.wait(".choice", "part of a message")
    assert "chunk" not in tab.text("main")


def test_nothing_has_moved_before_a_weight_did(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"], "Which database do we use, and where is it?")
    assert not tab.all(".move")
    assert tab.run("return document.querySelector('.moved').textContent") == ""


def counts(tab: Tab) -> Sequence[int]:
    """What the first tab says: how many candidates it shows, and of how many."""
    told = tab.wait("[role=tab]", "Candidates").text
    return [
        int(each) for each in told.replace("(", " ").replace(")", " ").split() if each.isdigit()
    ]


def test_candidates_are_counted_alike(tab: Tab, stored: Any) -> None:
    asked(tab, stored["user"], "Tomatoes")
    shown, *more = counts(tab)
    found = more[0] if more else shown
    assert f"of {found} candidate" in tab.text(".summary")
    assert shown <= found


def test_every_candidate_has_the_score_that_decided(tab: Tab, stored: Any) -> None:
    """However few items are asked for."""
    tab.open(f"/ui?user={stored['user']}")
    tab.fill("#items", "2")
    tab.fill("#query", "Which database did we pick for the backend?")
    tab.click("button", "Build the context")
    tab.wait(".candidate .bar")
    found = int(tab.text(".summary").split(" candidates")[0].split()[-1])
    assert tab.wait("[role=tab]", "Candidates").text == f"Candidates ({found})"
    for each in tab.all(".answer .button-plain"):
        assert each.text == f"Show all {found}"
        each.click()
    tab.until(lambda: len(tab.all(".candidate")) == found)
    tab.click("button", "Keep, to compare")
    sides = [each.text.split()[1] for each in tab.until(lambda: tab.all(".side .meta"))]
    scores = [each.text for each in tab.all(".candidate:not(.out) .score")]
    assert sides == scores * 2


def test_a_bundle_tells_when_it_was_asked(tab: Tab) -> None:
    tab.open("/ui/nothing")
    told = tab.driver.execute_async_script(
        """
        const [id, done] = arguments;
        const main = document.querySelector("script[type=module]").src;
        import(new URL("lib/format.js", main)).then(({ bornAt }) => done(bornAt(id)));
        """,
        "017f22e2-79b0-7cc3-98c4-dc0c0c07398f",
    )
    assert told == "2022-02-22T19:22:22.000Z"


def test_whose_memory_an_address_names_is_kept_on_the_next_page(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui?user={stored['user']}")
    tab.click("nav a", "Conversations")
    tab.wait(".entry-title")
    tab.click("nav a", "Metrics")
    tab.wait("main h1", "Metrics")
    tab.click("nav a", "Memory")
    tab.wait("main h1", "Memory")
    assert tab.wait("#user").get_attribute("value") == stored["user"]


def test_a_conversation_that_is_gone_has_a_heading_and_a_way_back(tab: Tab) -> None:
    tab.shape(390, 900)
    tab.open(f"/ui/conversations/{NOWHERE}?user=nobody")
    assert tab.wait("[role=alert]", "no such conversation")
    tab.click(".back")
    assert tab.wait("main h1", "Conversations")
    assert tab.complaints(NOWHERE) == []


def test_the_list_of_conversations_needs_no_second_bar(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/conversations?user={stored['user']}")
    tab.wait(".entry")
    assert not tab.run("return document.documentElement.scrollHeight > innerHeight;")


def test_a_branch_that_was_left_is_folded(tab: Tab, client: httpx.Client) -> None:
    for leaf in ("old", "new"):
        file = spelled([chatgpt_conversation(current_node=leaf)])
        client.post("/import", content=file, params={"user_id": "brancher"}).raise_for_status()
    (listed,) = client.get("/conversations", params={"user_id": "brancher"}).json()["items"]
    said = client.get(f"/conversations/{listed['id']}/messages").json()["items"]
    (left,) = (each["id"] for each in said if each["aside"])

    tab.open(f"/ui/conversations/{listed['id']}?user=brancher")
    tab.wait(".message .formatted", HUGIN)
    assert ASKED in tab.text(".messages")
    assert MUNIN not in tab.text(".messages")
    tab.click(".left > summary", "1 message of a branch that was left")
    assert tab.wait(".left .formatted", MUNIN)

    tab.open(f"/ui/conversations/{listed['id']}?user=brancher&message={left}")
    assert tab.wait(".left .wanted", MUNIN)


@pytest.mark.parametrize("said", [">" * 2_000 + "x", "- " * 8_000, "_" * 15_000 + "a_"])
def test_what_cannot_be_formatted_is_shown_as_it_is(
    tab: Tab, client: httpx.Client, said: str
) -> None:
    body = {"user_id": "deep", "messages": [{"role": "user", "content": f"{said}end"}]}
    stored = client.post("/conversations", json=body).raise_for_status().json()
    tab.open(f"/ui/conversations/{stored['id']}?user=deep")
    assert tab.wait(".message pre.plain", "end")
    assert not tab.all(".message .waiting")


def test_lists_and_tables_from_the_right_begin_there(tab: Tab, client: httpx.Client) -> None:
    told = f"- {ARABIC}\n- {ARABIC}\n\n| {ARABIC} | {ARABIC} |\n| --- | --- |\n| a | b |\n\n1. one"
    body = {"user_id": "right", "messages": [{"role": "user", "content": told}]}
    stored = client.post("/conversations", json=body).raise_for_status().json()
    tab.open(f"/ui/conversations/{stored['id']}?user=right")
    tab.wait(".formatted table")
    way = "return getComputedStyle(document.querySelector(`.formatted ${arguments[0]}`)).direction"
    assert [tab.run(way, each) for each in ("ul", "table", "ol")] == ["rtl", "rtl", "ltr"]


def test_a_text_is_not_cut_inside_of_a_character(tab: Tab) -> None:
    tab.open("/ui/nothing")
    told = tab.driver.execute_async_script(
        """
        const [text, done] = arguments;
        const main = document.querySelector("script[type=module]").src;
        import(new URL("lib/format.js", main)).then(({ beginning }) => done(beginning(text, 4)));
        """,
        "a\U0001f600\U0001f600\U0001f600\U0001f600",
    )
    assert told == "a\U0001f600\U0001f600\U0001f600"


def test_no_piece_of_what_was_found_ends_inside_of_a_character(tab: Tab) -> None:
    tab.open("/ui/nothing")
    text = "a\U0001f600\U0001f600\U0001f600\U0001f600"
    told = tab.driver.execute_async_script(
        """
        const [text, done] = arguments;
        const main = document.querySelector("script[type=module]").src;
        import(new URL("lib/words.js", main)).then(({ around }) =>
          done([4, 5].map((most) => text.slice(...around(text, [], most)))));
        """,
        text,
    )
    assert told == [text[:2], text[:3]]
