"""In a running conversation a name that is new takes the place of the one asked about before."""

from collections.abc import Sequence

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, said, store

CONTRACTS = {
    "Brightwater": "Brightwater's contract runs until the end of September and renews for a year.",
    "Pinecrest": "Pinecrest signed for three years, ending in May.",
    "Kestrel": "Kestrel's agreement is month to month, they can leave any time.",
}
OTHERS = [
    "Our contact at Brightwater is Helen Strand.",
    "Brightwater has a budget of 84,000 for this year.",
    "The last call with Brightwater was about single sign-on.",
    "At Pinecrest talk to Omar Feld.",
    "Kestrel found the dashboard too slow.",
    "The contract of the office cleaners ends in June.",
]
ASKED = "When does Brightwater's contract end?"
WOUND = "Crane was hit by a musket ball in the knee at the siege of Port Merrow."
WOUNDED = ["I retired the name Craine.", "The old harbour master was wounded in a duel.", WOUND]


async def running(client: AsyncClient, *turns: str) -> Json:
    told = [said(turn, ("user", "assistant")[at % 2]) for at, turn in enumerate(turns)]
    return await store(client, *told, user_id="alice")


async def asked_then(client: AsyncClient, turns: Sequence[str], question: str) -> tuple[Json, Json]:
    chat = await running(client, *turns)
    return chat, await context(client, question, conversation_id=chat["id"])


@pytest.fixture
async def memory(client: AsyncClient) -> AsyncClient:
    await store(client, *CONTRACTS.values(), *OTHERS, user_id="alice")
    return client


@pytest.mark.parametrize(
    ("question", "name"), [("What about Pinecrest?", "Pinecrest"), ("and Kestrel?", "Kestrel")]
)
async def test_the_new_name_is_the_one(memory: AsyncClient, question: str, name: str) -> None:
    chat, bundle = await asked_then(memory, [ASKED, "At the end of September."], question)

    assert contents(bundle)[0] == CONTRACTS[name]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]
    assert bundle["query"] == question


async def test_so_it_is_of_several_turns(memory: AsyncClient) -> None:
    turns = [ASKED, "At the end of September.", "And Pinecrest?", "In May."]
    chat, bundle = await asked_then(memory, turns, "and for how long?")

    assert contents(bundle)[0] == CONTRACTS["Pinecrest"]
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]


async def test_who_was_asked_for_is_who_the_reply_names(client: AsyncClient) -> None:
    await store(client, *WOUNDED, user_id="alice")
    turns = ["Which character limps?", "Alasdair Crane, he limps."]
    chat, bundle = await asked_then(client, turns, "Where was he wounded?")

    assert contents(bundle)[0] == WOUND
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][1]


async def test_what_was_asked_for_is_what_the_reply_names(client: AsyncClient) -> None:
    visits = ["Lisbon, the place to be in October.", "The best month of Bologna is May."]
    await store(client, *visits, "Oslo was over New Year.", user_id="alice")
    turns = ["Which place had the best soup?", "Oslo, at the market."]
    chat, bundle = await asked_then(client, turns, "and when?")

    assert contents(bundle)[0] == "Oslo was over New Year."
    assert bundle["metadata"]["leans_on"] == chat["message_ids"][0]


async def test_a_thing_without_a_name_takes_the_place_of_another(client: AsyncClient) -> None:
    trident = "Oswin carries the trident of the tides since the chapel."
    said_before = [
        "Thessaly wears the ring of feather fall, as she falls a lot.",
        "Grub swapped the ring of the Baron, a ring of feather fall, with a fake.",
        "The ring of feather fall is made of bone.",
        trident,
    ]
    await store(client, *said_before, *OTHERS, user_id="alice")
    turns = ["Who has the ring of feather fall?", "Thessaly has it."]
    _, bundle = await asked_then(client, turns, "and the trident?")
    assert contents(bundle)[0] == trident
