"""What a query calls by its name is found by it, and nothing else is taken for it."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, store

KNOWN = (
    "checkout-api times out under load, so we gave it a second replica.",
    "ORA-00942 came up in the nightly import: the table was renamed.",
    "PAY-1187 is done, the refund button works again.",
    "Set smv6 in the second slot, the firmware needs it.",
    "The sign-in ends with AADSTS50011: the redirect URI does not match.",
)
SMALL_MATTERS = tuple(
    f"{who} {did} on the {where}."
    for who in ("Sofia", "Marek", "Aiko", "The intern")
    for did in ("left a note", "found the spare key", "watered the plants")
    for where in ("second floor", "balcony", "ground floor")
)


@pytest.fixture(params=[(), SMALL_MATTERS], ids=["few", "many"])
async def told(request: pytest.FixtureRequest, alone: AsyncClient) -> AsyncClient:
    await store(alone, *KNOWN, *request.param)
    return alone


@pytest.mark.parametrize(
    ("query", "answer"),
    [("checkout-api", KNOWN[0]), ("ora00942", KNOWN[1]), ("smv6", KNOWN[3])],
)
async def test_who_asks_for_a_name_gets_a_likely_answer(
    told: AsyncClient, query: str, answer: str
) -> None:
    bundle = await context(told, query)
    assert contents(bundle)[0] == answer
    assert bundle["metadata"]["sufficient"] is True


async def test_who_asks_for_a_name_is_told_of_nothing_else(alone: AsyncClient) -> None:
    beside = "The nightly job has the old name in its settings, I changed it."
    await store(alone, *KNOWN[:2], beside, *SMALL_MATTERS)
    found = contents(await context(alone, "ORA-00942"))
    assert found[0] == KNOWN[1]
    assert beside in found
    assert not {*SMALL_MATTERS[2:]} & {*found}


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("What does ORA-01555 mean?", KNOWN[1]),
        ("Is PAY-1188 done, and does the refund button work again?", KNOWN[2]),
    ],
)
async def test_what_has_another_number_is_no_likely_answer(
    told: AsyncClient, query: str, other: str
) -> None:
    bundle = await context(told, query)
    assert bundle["metadata"]["sufficient"] is False
    both = await context(told, query.replace("01555", "00942").replace("1188", "1187"))
    assert contents(both)[0] == other
    assert both["metadata"]["sufficient"] is True


async def test_a_number_that_is_all_that_is_asked_for_is_not_taken_for_another(
    told: AsyncClient,
) -> None:
    assert (await context(told, "ORA-01555"))["metadata"]["sufficient"] is False
    assert (await context(told, "AADSTS90072"))["metadata"]["sufficient"] is False


async def test_what_says_the_number_that_is_asked_for_is_a_likely_answer(
    alone: AsyncClient,
) -> None:
    held = "Hold 1d92b6c, please. It renames the column and the reports still read the old one."
    await store(alone, *KNOWN, held, *SMALL_MATTERS)
    question = "Why did the others not want {} to reach our customers in spring?"
    bundle = await context(alone, question.format("1d92b6c"))
    assert contents(bundle)[0] == held
    assert bundle["metadata"]["sufficient"] is True
    other = await context(alone, question.format("7a20e4f"))
    assert other["metadata"]["sufficient"] is False
