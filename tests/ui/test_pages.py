"""The other pages, in a browser: memory, profile and consent, metrics, settings, jobs."""

import sqlite3
from contextlib import closing
from functools import partial
from typing import Any

import httpx

from tests.api.serving import Server, eventually
from tests.ui.browser import Tab
from tests.ui.seeding import HOSTILE


def fact(client: httpx.Client, user: str, content: str, **fields: Any) -> Any:
    body = {"type": "fact", "user_id": user, "content": content, **fields}
    return client.post("/memories", json=body).json()


def test_facts_are_read_and_forgotten(tab: Tab, client: httpx.Client) -> None:
    fact(client, "fay", "Fay lives in Lisbon.", metadata={"project": "<b>x</b>"})
    fact(client, "fay", HOSTILE)
    fact(
        client,
        "fay",
        "Fay lived in Porto.",
        valid_from="2020-01-01T00:00:00Z",
        valid_to="2021-01-01T00:00:00Z",
    )
    tab.open("/ui/memory/facts?user=fay")
    tab.until(lambda: len(tab.all(".item .formatted > *")) >= 2)
    assert "Fay lives in Lisbon." in tab.text(".items")
    assert "project: <b>x</b>" in tab.text(".items")
    assert "Porto" not in tab.text(".items")
    assert tab.run("return window.broken") is None
    tab.click("#ever")
    tab.until(lambda: "Porto" in tab.text(".items"))
    tab.click(".item:last-child .button-quiet", "Delete")
    tab.click("dialog .button-danger")
    tab.wait("dialog .receipt", "memory items 1")
    tab.click("dialog button", "Close")
    tab.until(lambda: len(tab.all(".item")) == 2)


def test_facts_show_no_names_of_ours(tab: Tab, client: httpx.Client) -> None:
    told_to_live(client, "fern", "Lisbon", "2026-01-05T10:00:00Z")
    eventually(lambda: told_of(client, "fern", "Lisbon"))
    tab.open("/ui/memory/facts?user=fern")
    (card,) = tab.until(lambda: tab.all(".item"))
    chips = [each.text for each in card.find_elements("css selector", ".chip")]
    assert [each.split(" ")[0] for each in chips] == ["confidence"]
    assert chips[0].endswith(" %")


def test_a_summary_of_a_time_is_told_by_its_name(tab: Tab, house: Any) -> None:
    tab.open("/ui")
    told = tab.driver.execute_async_script(
        """
        const [from, done] = arguments;
        const main = document.querySelector("script[type=module]").src;
        const periods = ["year", "month", "week", "day"];
        import(new URL("lib/format.js", main))
          .then(({ periodOf }) => done(periods.map((period) => periodOf({ period, from }))));
        """,
        "2026-03-02T00:00:00+00:00",
    )
    assert told == ["2026", "March 2026", "week of Mar 2, 2026", "Mar 2, 2026"]


def told_to_live(client: httpx.Client, user: str, place: str, since: str) -> None:
    said = {"role": "user", "content": f"I live in {place}.", "created_at": since}
    body = {"user_id": user, "external_id": place, "messages": [said]}
    client.post("/conversations", json=body).raise_for_status()


def told_of(client: httpx.Client, user: str, place: str) -> bool:
    ever = f"/memories?user_id={user}&type=fact&include_superseded=true&limit=500"
    return f"lives in {place}" in client.get(ever).text


def test_a_fact_shows_what_it_took_the_place_of(tab: Tab, client: httpx.Client) -> None:
    """However much is between them in the list, and though there is more than one."""
    for day, place in enumerate(("Lisbon", "Porto", "Rome"), start=1):
        told_to_live(client, "mia", place, f"2026-01-0{day}T10:00:00Z")
        tab.until(partial(told_of, client, "mia", place))
        for number in range(30):
            fact(client, "mia", f"{place} has {number} bridges.")
    told_to_live(client, "mia", "Oslo", "2026-01-04T10:00:00Z")
    tab.until(partial(told_of, client, "mia", "Oslo"))
    tab.open("/ui/memory/facts?user=mia")
    assert "Oslo" in tab.wait(".item .formatted").text
    tab.click(".superseded summary", "What it took the place of")
    tab.until(lambda: len(tab.all(".was")) == 3)
    assert [each.text.split()[-1] for each in tab.all(".was")] == ["Rome", "Porto", "Lisbon"]

    tab.click("#ever")
    rome = tab.wait(".item.ended", "Rome")
    rome.find_element("css selector", "summary").click()
    assert "Porto" in tab.wait(".item.ended .was").text
    rome.find_element("xpath", ".//summary[.='What took its place']").click()
    tab.wait(".item.ended .superseded .said", "Oslo")


def test_the_kind_that_is_shown_is_in_sight_on_a_small_screen(tab: Tab, house: Any) -> None:
    tab.shape(390, 844)
    tab.open("/ui/memory/entities")
    there = tab.run(
        "const [it, row] = ['.subnav [aria-current]', '.subnav'].map("
        "(each) => document.querySelector(each).getBoundingClientRect());"
        "return it.left >= row.left && it.right <= row.right + 1;"
    )
    assert there


def test_what_comes_from_a_message_leads_there(tab: Tab, client: httpx.Client) -> None:
    body = {"user_id": "lin", "messages": [{"role": "user", "content": "I live in Lisbon."}]}
    client.post("/conversations", json=body).raise_for_status()
    facts = {"user_id": "lin", "type": "fact"}
    tab.until(lambda: client.get("/memories", params=facts).json()["items"])
    tab.open("/ui/memory/facts?user=lin")
    tab.wait(".item .formatted > *")
    tab.click(".item summary", "Where it comes from")
    assert "I live in Lisbon." in tab.wait(".lineage q").text
    tab.click(".lineage a", "Read it there")
    assert "I live in Lisbon." in tab.wait(".message.wanted").text


def test_tools_procedures_and_documents_are_read(tab: Tab, stored: Any) -> None:
    tab.open(f"/ui/memory/tools?user={stored['user']}")
    tab.wait(".item code", "pg_dump")
    tab.click(".subnav a", "Procedures")
    tab.wait(".item li", "Run the migration.")
    tab.click(".subnav a", "Documents")
    tab.wait(".item h3", "runbook.md")
    tab.click(".subnav a", "Summaries")
    tab.wait(".empty, .item")


def test_entities_are_drawn_and_told(tab: Tab, client: httpx.Client) -> None:
    said = ["My name is Eve Brown. I work at Acme Labs.", "Acme Labs is based in Lisbon."]
    messages = [{"role": "user", "name": "Eve Brown", "content": each} for each in said]
    client.post("/conversations", json={"user_id": "eve", "messages": messages})
    listed = tab.until(partial(entities, client, "Acme"))
    tab.until(lambda: client.get(f"/entities/{listed[0]['id']}").json()["edges"])
    tab.open("/ui/memory/entities?user=eve")
    tab.fill("#entity-name", "acme")
    tab.click(".entry", "Acme")
    assert tab.wait(".graph .node.centre text").text.startswith("Acme")
    assert len(tab.all(".graph .node")) >= 2
    assert tab.wait(".relations em")
    assert tab.wait(".lineage q", "Acme")
    centre = tab.one(".graph .node.centre").get_attribute("aria-label")
    tab.run(PRESS_ENTER, tab.one(".graph .node:not(.centre)"))
    tab.until(lambda: tab.one(".graph .node.centre").get_attribute("aria-label") != centre)


def entities(client: httpx.Client, name: str) -> Any:
    return client.get("/entities", params={"user_id": "eve", "q": name}).json()["items"]


PRESS_ENTER = (
    "arguments[0].dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}))"
)


def test_consent_is_granted_and_revoked_with_what_it_erased(tab: Tab, client: httpx.Client) -> None:
    tab.open("/ui/person?user=conny")
    assert tab.wait(".empty", "Without consent")
    tab.click("#consent-profile")
    tab.wait(".empty", "There is no profile yet.")
    assert client.get("/users/conny/consent").json()["purposes"]["profile"] is True

    tab.click("button", "Add to preferences")
    name, value = tab.until(lambda: tab.all(".row input")[:2])
    name.send_keys("languages")
    value.send_keys('["python", "sql"]')
    tab.fill("#notes", "Short <b>answers</b>.")
    tab.click("button", "Save the profile")
    tab.until(lambda: client.get("/users/conny/profile").status_code == 200)
    profile = client.get("/users/conny/profile").json()
    assert profile["preferences"] == {"languages": ["python", "sql"]}
    assert profile["notes"] == "Short <b>answers</b>."

    tab.wait(".quiet", "Changed")
    tab.click(".row button")
    tab.click("button", "Save the profile")
    tab.until(lambda: client.get("/users/conny/profile").json()["preferences"] == {})

    tab.click("#consent-profile")
    tab.click("dialog button", "Keep it")
    tab.until(lambda: tab.one("#consent-profile").is_selected())
    tab.click("#consent-profile")
    tab.click("dialog button", "Revoke")
    assert "profiles 1" in tab.wait("dialog .receipt").text
    tab.click("dialog button", "Close")
    tab.wait(".empty", "Without consent")
    assert client.get("/users/conny/profile").status_code == 403


def test_what_facts_say_of_a_user_is_told_apart_and_linked(tab: Tab, client: httpx.Client) -> None:
    client.put("/users/dana/consent", json={"purposes": {"profile": True, "facts": True}})
    client.put("/users/dana/profile", json={"notes": "Short answers."})
    told = [fact(client, "dana", f"Dana loves {each}.") for each in ("hiking", "cheese")]
    tab.open("/ui/person?user=dana")
    assert tab.wait(".derived", "likes").text == "likes cheese, hiking"
    assert tab.all(".row") == []
    before = client.get("/users/dana/profile").json()["updated_at"]
    tab.fill("#notes", "Short answers, please.")
    tab.click("button", "Save the profile")
    tab.until(lambda: client.get("/users/dana/profile").json()["updated_at"] > before)
    tab.click(".derived a", "hiking")
    tab.wait(".item", "Dana loves hiking.")
    assert told[0]["id"] in tab.run("return location.pathname")
    assert client.get("/users/dana/profile").json()["derived"] == {
        "preferences": {"likes": [told[1]["id"], told[0]["id"]]}
    }


def test_everything_of_a_user_is_erased(tab: Tab, client: httpx.Client, stored: Any) -> None:
    tab.open(f"/ui/person?user={stored['user']}")
    tab.click("button", "Erase everything")
    tab.click("dialog button", "Erase everything")
    tab.wait("dialog .receipt", "messages 12")
    tab.click("dialog button", "Close")
    assert client.get("/conversations", params={"user_id": stored["user"]}).json()["items"] == []


def test_the_ends_of_axes_have_halves_that_are_as_short(tab: Tab) -> None:
    """The half of 25 ms was cut off, and that of 2.5 ms told as 1.3 ms."""
    tab.open("/ui/metrics")
    told = tab.driver.execute_async_script(
        """
        const [values, done] = arguments;
        const main = document.querySelector("script[type=module]").src;
        import(new URL("parts/plot.js", main)).then(({ rounded }) => done(values.map(rounded)));
        """,
        [0, 0.7, 1, 2.1, 5, 6.5, 21, 240, 610, 1000],
    )
    assert told == [1, 0.8, 1, 4, 6, 8, 40, 400, 800, 1000]


def test_metrics_are_drawn_from_what_was_measured(
    tab: Tab, client: httpx.Client, stored: Any
) -> None:
    def asked_again() -> bool:
        """What is distilled meanwhile makes what was kept an old answer."""
        client.post("/context", json={"query": "Which database?", "user_id": stored["user"]})
        return bool(client.get("/memory/metrics").json()["cache"]["hits"] >= 2)

    tab.until(asked_again)
    tab.open("/ui/metrics?window=1h")
    tab.wait(".plot .line, .plot .point")
    names = [each.text for each in tab.all(".plot h2")]
    assert {"Contexts", "Latency", "Best score", "Budget used", "Outbox"} <= set(names)
    cut = "return [...document.querySelectorAll('.axes text')].filter((t) => t.getBBox().x < 0)"
    assert tab.run(f"{cut}.map((t) => t.textContent)") == []
    types = tab.one(".plot", "Content types")
    assert "message" in types.text
    assert types.find_elements("css selector", ".line.tone-message, .point.tone-message")
    assert "semantic" in tab.text(".tables")
    assert "message" in tab.text(".tables")
    tab.click(".plot .figures summary")
    assert tab.wait(".plot .figures tbody tr")
    tab.click(".segments label", "7 days")
    tab.until(lambda: "window=7d" in tab.driver.current_url)
    tab.wait(".plot")


def test_flags_are_switched_at_once(tab: Tab, client: httpx.Client) -> None:
    tab.open("/ui/settings")
    tab.click("#flag-hybrid")
    tab.until(lambda: client.get("/flags").json()["hybrid"] is False)
    tab.click(".link", "Back to true")
    tab.until(lambda: client.get("/flags").json()["hybrid"] is True)
    tab.fill("#flag-token_budget", "1234")
    tab.click("form[aria-label='token_budget'] button", "Set")
    tab.until(lambda: client.get("/flags").json()["token_budget"] == 1234)
    tab.click(".link", "Back to 4000")
    tab.until(lambda: client.get("/flags").json()["token_budget"] == 4000)


def test_jobs_are_started_watched_and_done_again(tab: Tab, client: httpx.Client) -> None:
    tab.open("/ui/jobs")
    assert "To be distilled" in tab.wait("section", "Waiting for the workers").text
    tab.click("button", "Examine everything")
    tab.wait("tbody .chip-good", "done")
    tab.click("tbody summary")
    assert '"sound": true' in tab.wait("tbody pre").text
    tab.click("button", "Distil anew")
    tab.wait("tbody th", "reindex distilled")
    tab.click("tbody button", "Once more")
    tab.until(lambda: len(client.get("/jobs").json()["items"]) >= 2 or tab.one("tbody .chip-good"))
    assert "database" in tab.text(".parts").lower()


def test_what_indexing_gave_up_is_given_another_try(
    tab: Tab, client: httpx.Client, house: Server, stored: Any
) -> None:
    assert stored["user"]
    give_up_the_last_message(house)
    assert client.get("/jobs").json()["dead_letters"] == 1
    tab.open("/ui/jobs")
    assert "1 item could not be indexed" in tab.wait(".notice").text
    tab.click(".notice button", "Give them another try")
    tab.until(lambda: client.get("/jobs").json()["dead_letters"] == 0)
    tab.gone(".notice")


def give_up_the_last_message(house: Server) -> None:
    """As the indexer leaves what it could not embed."""
    database = house.output.parent / "data" / "foreword.db"
    with closing(sqlite3.connect(database, timeout=30)) as beside, beside:
        beside.execute(
            "INSERT INTO outbox (tenant, scope_key, item_key, created_at, due_at, attempts, dead) "
            "SELECT tenant, scope.key, max(message.key) << 2, 0, 0, 8, 1 "
            "FROM message JOIN scope ON scope.key = message.scope_key",
        )


def test_an_address_of_nothing_says_so(tab: Tab, house: Any) -> None:
    tab.open("/ui/nothing/of/the/kind")
    assert tab.text("main h1") == "Nothing here"
