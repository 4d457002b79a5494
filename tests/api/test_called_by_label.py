"""A number in the label of a conversation is found as if it were said there."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, distilling_nothing, store, store_soon

TICKETS: dict[str, tuple[str, ...]] = {
    "INC-2131 emails sent twice": (
        "Some customers got the same reminder two times this morning.",
        "The worker was restarted while it held the lock, and began again.",
        "Fixed: the job notes what it has sent before it goes on.",
    ),
    "INC-2117 wrong VAT": (
        "Invoices to Switzerland show the tax of Austria.",
        "It was my change, the list of countries sends a blank behind the code.",
        "Fixed and deployed, all invoices of May are written anew.",
    ),
    "TCK-5588 sign-in of Havelmed": (
        "Nobody at Havelmed can sign in since the new certificate.",
        "Their clock is four minutes late, so every token is too old.",
    ),
}
SMALL_TALK = ("We had soup for lunch.", "The plants need water.", "Aiko is back from Osaka.")


@pytest.fixture
async def told(alone: AsyncClient) -> AsyncClient:
    await distilling_nothing(alone)
    for label, said in TICKETS.items():
        await store_soon(alone, *said, label=label)
    await store(alone, *SMALL_TALK)
    return alone


def first(bundle: Json, most: int) -> set[str]:
    return {*contents(bundle)[:most]}


@pytest.mark.parametrize("label", TICKETS)
@pytest.mark.parametrize("question", ["What was {} about?", "How was {} fixed?", "{}"])
async def test_what_was_said_there_stands_first(
    told: AsyncClient, label: str, question: str
) -> None:
    bundle = await context(told, question.format(label.split(maxsplit=1)[0]))
    assert first(bundle, len(TICKETS[label])) == {*TICKETS[label]}
    assert bundle["metadata"]["sufficient"] is True


async def test_what_says_the_number_elsewhere_stands_among_it(told: AsyncClient) -> None:
    await store(told, "The postmortem of INC-2131 is on Monday.")
    bundle = await context(told, "When is the postmortem of INC-2131?")
    assert contents(bundle)[0] == "The postmortem of INC-2131 is on Monday."
    assert {*TICKETS["INC-2131 emails sent twice"]} <= first(bundle, 4)


async def test_a_number_that_no_label_has_is_nowhere(told: AsyncClient) -> None:
    for number in ("INC-2132", "INC-213", "INC-21310"):
        bundle = await context(told, f"What was {number} about?")
        assert not {*TICKETS["INC-2131 emails sent twice"]} <= first(bundle, 3)


async def test_filters_and_archives_keep_a_conversation_out(told: AsyncClient) -> None:
    listed = (await told.get("/conversations", params={"q": "INC-2131"})).json()
    (found,) = listed["items"]
    question, own = "What was INC-2131 about?", {*TICKETS["INC-2131 emails sent twice"]}
    kept_out = {"exclude_conversation_ids": [found["id"]]}
    assert not own & {*contents(await context(told, question, filters=kept_out))}
    labels = {"labels": ["INC-2117 wrong VAT"]}
    assert not own & {*contents(await context(told, question, filters=labels))}
    await told.patch(f"/conversations/{found['id']}", json={"archived": True})
    assert not own & {*contents(await context(told, question))}


async def test_a_label_that_was_changed_counts_as_it_is_now(told: AsyncClient) -> None:
    listed = (await told.get("/conversations", params={"q": "INC-2131"})).json()
    path = f"/conversations/{listed['items'][0]['id']}"
    await told.patch(path, json={"label": "INC-3000 emails"})
    bundle = await context(told, "What was INC-3000 about?")
    assert first(bundle, 3) == {*TICKETS["INC-2131 emails sent twice"]}


async def test_labels_of_others_are_not_looked_through(told: AsyncClient) -> None:
    await store(told, "I am Bob.", user_id="bob")
    bundle = await context(told, "What was INC-2131 about?", user_id="bob")
    assert not {*TICKETS["INC-2131 emails sent twice"]} & {*contents(bundle)}
