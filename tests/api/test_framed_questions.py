"""How an answer is to be given has words of its own: they find nothing that is not asked for."""

from httpx import AsyncClient

from tests.api.speaking import context, said, store

BOAT = "The boat has a new mast, and the hull was sanded in May."
ASIDES = [
    "Could you list the order in which the speakers come, and give only five items of each?",
    "A comprehensive summary of different aspects came up throughout the conversations.",
    "Provide an overview in order, please: how the project progressed over time.",
]


async def test_a_question_finds_what_it_is_about(client: AsyncClient) -> None:
    await store(client, *(said(each) for each in [*ASIDES, BOAT]), user_id="ann")
    for question in (
        "Can you give me a comprehensive summary of how the boat progressed over time?",
        "List the order in which I brought up different aspects of the boat. Give only five items.",
    ):
        bundle = await context(client, question, user_id="ann")
        assert bundle["retrieved_memories"][0]["content"] == BOAT
        assert bundle["query"] == question
