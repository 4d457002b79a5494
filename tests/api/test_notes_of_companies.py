"""Of notes of companies what is asked, and of which, stands before what is new."""

from httpx import AsyncClient

from tests.api.speaking import contents, context, distilling_nothing, said, settled, store_soon

NOTES = {
    "2026-08-01": "First call with Dorn Labs. Contact is Anna Weiss, budget about 50k.",
    "2026-08-02": "First call with Dorn Robotics. Contact is Ben Berg, they want 30 seats.",
    "2026-09-01": "Dorn Labs compares us with Zendesk.",
    "2026-11-20": "Dorn Robotics now needs 18 seats.",
    "2026-11-25": "The demo for Dorn Labs went well.",
}


async def noted(client: AsyncClient) -> None:
    await distilling_nothing(client)
    for day, note in NOTES.items():
        await store_soon(client, said(note, created_at=f"{day}T10:00:00Z"))
    await settled(client)


async def test_what_changed_of_another_company_does_not_stand_first(alone: AsyncClient) -> None:
    await noted(alone)
    first = {
        query: contents(await context(alone, query, as_of="2026-11-28T00:00:00Z"))[0]
        for query in ("What's the budget of Dorn Labs?", "Who does Dorn Labs compare us with?")
    }
    assert list(first.values()) == [NOTES["2026-08-01"], NOTES["2026-09-01"]]


async def test_what_changed_of_the_one_asked_about_does(alone: AsyncClient) -> None:
    await noted(alone)
    query = "How many seats does Dorn Robotics want?"
    assert contents(await context(alone, query))[0] == NOTES["2026-11-20"]


async def test_a_document_that_was_shown_is_not_fresh_by_it(alone: AsyncClient) -> None:
    """It is of everybody: who asks before must not move it before what a user said."""
    policy = "Refunds are possible within 14 days. The money goes back to the card that was used."
    told = {"type": "document", "content": policy, "valid_from": "2026-01-01T00:00:00Z"}
    assert (await alone.post("/memories", json=told)).status_code == 201
    mine = "The refund came in this morning, thanks."
    for user in ("ua", "ub"):
        await store_soon(alone, said(mine, created_at="2026-10-01T10:00:00Z"), user_id=user)
    await settled(alone)

    ranked = [
        contents(await context(alone, "has the refund been paid?", user_id=user))
        for user in ("ua", "ua", "ub")
    ]

    assert mine in ranked[0]
    assert ranked[0] == ranked[1] == ranked[2]


async def test_words_that_ask_nothing_find_what_tells_before_what_asks(alone: AsyncClient) -> None:
    told = said("The courier collects the vacuum on Wednesday 18 November.")
    asked = said("When does the vacuum get collected?")
    await store_soon(alone, told, said("Noted.", "assistant"))
    await store_soon(alone, asked, said("Let me look that up.", "assistant"))
    await settled(alone)

    for query in ("vacuum collected", "vacuum collection date"):
        assert contents(await context(alone, query))[0] == told["content"]


async def test_a_name_alone_does_not_bring_up_who_said_little(alone: AsyncClient) -> None:
    for line in ("My order goes to 5 Eyre Square, Galway.", "works", "nobody came!"):
        await store_soon(alone, said(line, name="Tom"))
    await settled(alone)

    assert contents(await context(alone, "where does Tom live?"))[0] != "works"


async def test_what_is_said_to_be_wrong_is_corrected(alone: AsyncClient) -> None:
    old, new = "New address is Kirkegata 3, 7011 Trondheim.", "Sorry, it is Kirkegata 33, not 3."
    echo = said("Updated the address to Kirkegata 3, 7011 Trondheim.", "assistant")
    await distilling_nothing(alone)
    await store_soon(alone, said(old), echo, said(new), said("No problem.", "assistant"))
    await settled(alone)

    found = contents(await context(alone, "What's the address in Trondheim?"))

    assert found.index(new) < found.index(old)
