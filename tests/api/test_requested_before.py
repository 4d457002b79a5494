"""A request that was made before, and stored, does not stand before what was made of it."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, said, store

REQUEST = "Show the SQL for monthly revenue."
REPLY = (
    "```sql\nSELECT date_trunc('month', paid_at) AS month, sum(amount)\n"
    "FROM invoice GROUP BY month ORDER BY month\n```"
)
OTHERS = [
    said("Show me the SQL for churned customers."),
    said("```sql\nSELECT id FROM customer WHERE left_at IS NOT NULL\n```", "assistant"),
    said("Explain what a cohort is."),
    said("A cohort is a group of customers who signed up in the same month.", "assistant"),
]


@pytest.mark.parametrize(
    "asked",
    [REQUEST, "Hi! Please show me the SQL for monthly revenue", "monthly revenue SQL?"],
)
async def test_what_was_replied_to_the_same_request_comes_first(
    client: AsyncClient, asked: str
) -> None:
    await store(client, said(REQUEST), said(REPLY, "assistant"), *OTHERS, user_id="alice")
    await store(client, "The bus was late again.", "We cleaned the kitchen.", user_id="alice")

    bundle = await context(client, asked, user_id="alice")

    assert "FROM invoice" in contents(bundle)[0]
    assert bundle["metadata"]["sufficient"]


async def test_a_request_that_had_no_reply_is_left_out(client: AsyncClient) -> None:
    await store(client, said(REQUEST), *OTHERS, user_id="alice")

    bundle = await context(client, REQUEST, user_id="alice", explain=True)

    assert REQUEST not in contents(bundle)
    assert "the question, asked before" in [
        each["reason"] for each in bundle["metadata"]["dropped"]
    ]


async def test_another_request_stands_behind_what_tells_something(client: AsyncClient) -> None:
    told = said("A red-black tree is a binary tree that stays balanced by colours.", "assistant")
    await store(client, said("Explain red-black trees to me."), *OTHERS, user_id="alice")
    await store(client, told, user_id="alice")

    bundle = await context(client, "What are red-black trees?", user_id="alice")

    assert contents(bundle)[0] == told["content"]


async def test_a_request_that_is_found_brings_its_reply(client: AsyncClient) -> None:
    told = said("It balances itself: after each insertion it is recoloured.", "assistant")
    await store(client, said("Explain red-black trees to me."), told, *OTHERS, user_id="alice")

    bundle = await context(client, "What did I ask about red-black trees?", user_id="alice")

    assert told["content"] in contents(bundle)


async def test_who_asks_what_was_requested_finds_it(client: AsyncClient) -> None:
    await store(client, said(REQUEST), said(REPLY, "assistant"), *OTHERS, user_id="alice")

    bundle = await context(client, "Did I ask for the SQL of monthly revenue?", user_id="alice")

    assert REQUEST in contents(bundle)


@pytest.mark.parametrize(
    ("told", "asked"),
    [
        ("Remind me to call the dentist on Friday.", "When should I call the dentist?"),
        ("Give the dog his pill at eight.", "When does the dog get his pill?"),
        ("Send invoices to billing@example.com.", "Where do invoices go?"),
        ("Write commit messages in the imperative.", "How do I want commit messages written?"),
    ],
)
async def test_an_instruction_tells_something(client: AsyncClient, told: str, asked: str) -> None:
    await store(client, said(told), *OTHERS, user_id="alice")

    bundle = await context(client, asked, user_id="alice")

    assert contents(bundle)[0] == told
    assert bundle["metadata"]["sufficient"]
