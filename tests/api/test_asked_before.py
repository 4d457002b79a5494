"""A question that was asked before, and stored, does not stand before its answer."""

from httpx import AsyncClient

from tests.api.speaking import contents, context, said, store

QUESTION = "Where does Ann keep her sailing boat?"
ANSWER = "Ann keeps the boat in the old harbour of Piran."
OTHERS = ["The bus was late again.", "Ann has two cats.", "We cleaned the kitchen."]


async def test_the_question_itself_and_what_had_no_answer_are_left_out(
    client: AsyncClient,
) -> None:
    await store(client, ANSWER, *OTHERS, user_id="alice")
    in_vain = said("I don't have any information about Ann's sailing boat.", "assistant")
    await store(client, said(QUESTION), in_vain, user_id="alice")
    await store(client, "Which harbour is nice?", user_id="alice")

    bundle = await context(client, QUESTION, user_id="alice", explain=True)

    assert contents(bundle)[0] == ANSWER
    assert QUESTION not in contents(bundle)
    assert in_vain["content"] not in contents(bundle)
    reasons = [each["reason"] for each in bundle["metadata"]["dropped"]]
    assert reasons.count("the question, asked before") == 1
    assert reasons.count("a reply without an answer") == 1


async def test_the_reply_that_answered_it_is_found_by_it(client: AsyncClient) -> None:
    """It has no word of the question, which comes in behind it, to be read with it."""
    reply = said("In Piran, behind the lighthouse.", "assistant")
    await store(client, said(QUESTION), reply, user_id="alice")
    await store(client, *OTHERS, user_id="alice")

    bundle = await context(client, QUESTION, user_id="alice")

    assert contents(bundle)[0] == reply["content"]
    assert bundle["metadata"]["sufficient"]
    assert contents(bundle)[-1] == QUESTION


async def test_who_looks_for_a_question_finds_it(client: AsyncClient) -> None:
    await store(client, said(QUESTION), user_id="alice")
    await store(client, *OTHERS, user_id="alice")

    asked = "Did I ever ask where Ann keeps her sailing boat?"

    assert QUESTION in contents(await context(client, asked, user_id="alice"))


async def test_a_pinned_question_stays(client: AsyncClient) -> None:
    await store(client, said(QUESTION, importance=10), *OTHERS, user_id="alice")
    assert QUESTION in contents(await context(client, QUESTION, user_id="alice"))


async def test_a_question_in_other_words_is_no_likely_answer(client: AsyncClient) -> None:
    in_vain = said("I'm sorry, I don't have that information.", "assistant")
    await store(client, said("Do you remember my shoe size?"), in_vain, user_id="alice")
    await store(client, *OTHERS, user_id="alice")

    bundle = await context(client, "What is my shoe size?", user_id="alice")

    assert not bundle["metadata"]["sufficient"]


async def test_what_people_ask_each_other_may_tell(client: AsyncClient) -> None:
    told = said("Did you hear that Ann won the sailing race?", name="Ben")
    await store(client, told, *OTHERS, user_id="alice")

    bundle = await context(client, "Which race did Ann win?", user_id="alice")

    assert contents(bundle)[0] == told["content"]
    assert bundle["metadata"]["sufficient"]


async def test_questions_of_the_same_things_stand_behind_what_tells_of_them(
    client: AsyncClient,
) -> None:
    budget = "Kestrel has approved a budget of 120,000 for the pilot."
    rival = "Routello is out, they also talk to OptiFleet now, says Kestrel."
    await store(client, budget, rival, *OTHERS, user_id="alice")
    asked = ("Who is our contact at Kestrel?", "What is the budget at Kestrel?")
    for question in asked:
        await store(client, said(question), said("I do not know.", "assistant"), user_id="alice")

    found = contents(await context(client, "Which competitor does Kestrel have?", user_id="alice"))

    assert {budget, rival} <= set(found)
    assert max(map(found.index, (budget, rival))) < min(
        found.index(each) for each in asked if each in found
    )


async def test_questions_are_what_is_looked_for_where_they_are_asked_for(
    client: AsyncClient,
) -> None:
    question = "Which competitor does Kestrel have?"
    await store(client, said(question), user_id="alice")
    await store(client, "Kestrel has two depots.", *OTHERS, user_id="alice")

    bundle = await context(client, "What questions did I have about Kestrel?", user_id="alice")

    assert contents(bundle)[0] == question
