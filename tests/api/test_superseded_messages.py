"""What was said later of the same, and says that it changed, stands before what was."""

import pytest
from httpx import AsyncClient

from tests.api.speaking import contents, context, distilling_nothing, said, store, store_soon

ASIDE = (
    "The bus was late again today.",
    "I cleaned the kitchen in the morning.",
    "Ann paints the fence green.",
    "We watched a film about whales.",
)


async def told(client: AsyncClient, old: str, new: str, name: str | None = None) -> None:
    await distilling_nothing(client)
    await store_soon(client, said(old, name=name, created_at="2026-03-02T10:00:00Z"))
    for at, aside in enumerate(ASIDE, 1):
        await store_soon(client, said(aside, created_at=f"2026-04-0{at}T10:00:00Z"))
    await store(client, said(new, name=name, created_at="2026-06-12T10:00:00Z"))


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "The meeting with Kim is on Tuesday at 3.",
            "The meeting with Kim was moved to Thursday at 10.",
            "When is the meeting with Kim?",
        ),
        (
            "I go to the gym at FitX on Mondays.",
            "I quit FitX, I train at the university gym now.",
            "Which gym do I go to?",
        ),
        (
            "The deploy runs every night at two.",
            "The nightly deploy was moved to four in the morning.",
            "When does the deploy run?",
        ),
        (
            "We booked the flight, it leaves on April 11 at 7:45 from Berlin.",
            "ugh, airline news. turns out the flight is at 6:10, same day",
            "When does the flight leave?",
        ),
        (
            "My flatmate Jonas works at Bosch in Feuerbach.",
            "Jonas is with Siemens in Erlangen now",
            "Where does Jonas work?",
        ),
        (
            "Let's have dinner at Luigi's on Friday.",
            "Luigi's is full, booked Sakura instead.",
            "Where is dinner on Friday?",
        ),
        ("The budget is 20k.", "Finance cut it to 15k.", "How big is the budget?"),
        (
            "Deploys happen on Fridays.",
            "No more deploys on Fridays, we do Tuesdays.",
            "When do we deploy?",
        ),
        (
            "I take the 7:40 train to work.",
            "Since the new timetable I take the 7:25.",
            "Which train do I take to work?",
        ),
    ],
)
async def test_what_changed_stands_before_what_was(
    alone: AsyncClient, old: str, new: str, question: str
) -> None:
    await told(alone, old, new)
    bundle = await context(alone, question, explain=True)
    assert contents(bundle)[:2] == [new, old]
    signals = [each["signals"] for each in bundle["retrieved_memories"]]
    assert ["changed" in each for each in signals[:2]] == [True, False]


async def test_what_changed_of_something_else_does_not(alone: AsyncClient) -> None:
    old = "The deploy runs every night at two."
    await told(alone, old, "Our landlord has changed the locks of the cellar.")
    assert contents(await context(alone, "When does the deploy run?"))[0] == old


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "The staging server is stg-01.",
            "Please use stg-04 since stg-01 has a broken disk.",
            "What is the staging server?",
        ),
        (
            "Payment terms are 30 days.",
            "Legal wants 14 days, so that's what we put in the contract.",
            "What are the payment terms?",
        ),
    ],
)
async def test_what_was_said_since_then_of_the_same_stands_right_behind(
    alone: AsyncClient, old: str, new: str, question: str
) -> None:
    await told(alone, old, new)
    bundle = await context(alone, question, explain=True)
    assert contents(bundle)[:2] == [old, new]
    assert bundle["retrieved_memories"][1]["signals"]["since"] == 1


@pytest.mark.parametrize(
    ("old", "new", "question"),
    [
        (
            "The API key is stored in Vault.",
            "We moved all secrets over to AWS Secrets Manager.",
            "Where is the API key stored?",
        ),
        (
            "Tom leads the mobile team.",
            "Tom went on parental leave, Aisha covers for him.",
            "Who leads the mobile team?",
        ),
    ],
)
async def test_what_is_nearest_to_what_changed_is_what_changed(
    alone: AsyncClient, old: str, new: str, question: str
) -> None:
    """Both say little of each other; nothing that was said before is nearer to what is new."""
    await told(alone, old, new)
    assert contents(await context(alone, question))[:2] == [old, new]


async def test_of_what_tells_much_another_part_may_have_changed(alone: AsyncClient) -> None:
    old = "I'm Sam, I live in Leeds with my wife Priya and our dog Biscuit, and I eat no meat."
    await told(alone, old, "I gave up on being vegetarian, I eat fish and chicken now.")
    bundle = await context(alone, "What is my dog called?", explain=True)
    assert contents(bundle)[0] == old
    assert not any("since" in each["signals"] for each in bundle["retrieved_memories"])


async def test_a_fact_that_was_drawn_from_what_changed_stands_beside_it(
    alone: AsyncClient,
) -> None:
    old, new = "I work at Siemens.", "I start at Bosch on Monday, Siemens was fun though."
    await store_soon(alone, said(old, created_at="2026-03-02T10:00:00Z"))
    await store(alone, said(new, created_at="2026-06-12T10:00:00Z"))
    found = contents(await context(alone, "Where do I work?"))
    assert found[:3] == ["User works at Siemens", new, old]


async def test_what_somebody_else_changed_takes_no_place(alone: AsyncClient) -> None:
    old = "Tom plays the cello."
    await told(alone, old, "Lisa gave up the violin and plays drums now.")
    assert contents(await context(alone, "What does Tom play?"))[0] == old


async def test_among_people_it_does_where_what_holds_is_asked_for(alone: AsyncClient) -> None:
    old = "Staging moved to the new cluster, url is https://staging.eu2.acme.dev"
    new = "Staging has been switched over to https://stage.acme.run, use that one"
    await told(alone, old, new, name="Jo")
    bundle = await context(alone, "What is the staging url?", explain=True)
    assert contents(bundle)[:2] == [new, old]
    before = await context(alone, "What was the staging url?", explain=True)
    assert not any("changed" in each["signals"] for each in before["retrieved_memories"])


async def test_what_was_sent_without_times_has_its_order(alone: AsyncClient) -> None:
    old = "We use MySQL for the billing service."
    new = "We switched the billing service to PostgreSQL."
    await distilling_nothing(alone)
    await store(alone, "My dog is called Rex.", old, *ASIDE, new)
    question = "Which database does the billing service use?"
    bundle = await context(alone, question, explain=True)
    assert contents(bundle)[:2] == [new, old]
    assert bundle["retrieved_memories"][0]["signals"]["changed"] == 1

    await store(alone, new, *ASIDE, old, user_id="another")
    bundle = await context(alone, question, user_id="another", explain=True)
    assert not any("changed" in each["signals"] for each in bundle["retrieved_memories"])


@pytest.mark.parametrize(
    ("old", "reply", "new", "question"),
    [
        (
            "The rate limit for the public API is 100 requests per minute per key.",
            "I'll implement a sliding window in Redis.",
            "Actually make it 60, Redis is fine",
            "What is the rate limit per key?",
        ),
        ("Standup is at 9:30.", "Noted, standup at 9:30.", "Sorry, 10:15.", "When is standup?"),
        (
            "Book a table for 6 at Luigi's.",
            "Done.",
            "Make it 8",
            "A table for how many at Luigi's?",
        ),
    ],
)
async def test_what_was_just_said_is_taken_back(
    client: AsyncClient, old: str, reply: str, new: str, question: str
) -> None:
    """In words that have nothing of it, and be they worth little by themselves."""
    await distilling_nothing(client)
    talk = [said(old), said(reply, "assistant"), said(new), said("Fine.", "assistant")]
    await store(client, said(ASIDE[0]), said(ASIDE[1], "assistant"), *talk, said(ASIDE[2]))

    found = contents(await context(client, question))

    assert new in found
    assert found.index(new) < found.index(old)


async def test_what_may_take_back_the_best_stands_right_behind_it(client: AsyncClient) -> None:
    await distilling_nothing(client)
    old, new = "We'll have 45 people at the offsite in Leuven.", "forgot the interns, so 52"
    talk = [said(old), said("I'll ask for a standing lunch.", "assistant"), said(new)]
    await store(client, said(ASIDE[0]), said(ASIDE[1], "assistant"), *talk, said(ASIDE[2]))

    bundle = await context(client, "How many people come to the offsite?", explain=True)

    told = bundle["retrieved_memories"]
    assert [each["content"] for each in told[:2]] == [old, new]
    assert told[1]["signals"]["since"] == 1


async def test_what_goes_on_to_something_else_takes_back_nothing(client: AsyncClient) -> None:
    await distilling_nothing(client)
    old = "Two people left, so we have 10 seats."
    other = "By the way, Hannah changed jobs, she works at Leeds General Infirmary."
    talk = [said(old), said("I see.", "assistant"), said(other)]
    await store(client, said(ASIDE[0]), said(ASIDE[1], "assistant"), *talk, said(ASIDE[2]))

    bundle = await context(client, "How many seats do we have?", explain=True)

    assert contents(bundle)[0] == old
    assert not any("since" in each["signals"] for each in bundle["retrieved_memories"])
