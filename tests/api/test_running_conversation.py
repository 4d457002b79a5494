"""The conversation going on now: its history, where is searched first, and whose it is."""

from uuid import uuid4

import pytest
from httpx import AsyncClient

from tests.api.speaking import Json, contents, context, get, problem, said, search, store

NAMES = ["Hugin", "Munin", "Fafnir", "Sleipnir", "Fenrir", "Ratatosk"]
ABOUT = [f"The server number {n} is called {name}." for n, name in enumerate(NAMES)]
QUERY = "What is the server called?"
CALL = {"id": "call-1", "type": "function", "function": {"name": "clock", "arguments": "{}"}}


def history_of(bundle: Json) -> list[str]:
    return [each["content"] for each in bundle["recent_history"]]


async def test_history_is_the_end_of_the_conversation_in_order(client: AsyncClient) -> None:
    stored = await store(client, *map(str, range(15)), user_id="alice", external_id="chat")

    by_id = await context(client, "zymurgy", conversation_id=stored["id"])
    by_name = await context(
        client, "zymurgy", conversation_external_id="chat", user_id="alice", history={}
    )

    assert history_of(by_id) == [str(n) for n in range(5, 15)]
    assert history_of(by_name) == history_of(by_id)
    read = (await get(client, f"/conversations/{stored['id']}/messages"))["items"]
    assert by_id["recent_history"] == read[5:]


async def test_what_is_in_the_history_is_not_retrieved_again(client: AsyncClient) -> None:
    stored = await store(client, *ABOUT)

    bundle = await context(client, QUERY, conversation_id=stored["id"], history={"max_messages": 2})

    assert history_of(bundle) == ABOUT[-2:]
    assert set(contents(bundle)) == set(ABOUT[:-2])


async def test_history_has_at_most_max_messages(client: AsyncClient) -> None:
    stored = await store(client, *ABOUT)

    for most in (0, 1, 4, 1_000):
        bundle = await context(
            client, QUERY, conversation_id=stored["id"], history={"max_messages": most}
        )
        assert history_of(bundle) == (ABOUT[-most:] if most else [])
        assert not set(history_of(bundle)) & set(contents(bundle))


async def test_history_has_at_most_its_share_of_the_budget(client: AsyncClient) -> None:
    stored = await store(client, *ABOUT)

    for share in (0.0, 0.2, 0.5, 1.0):
        bundle = await context(
            client,
            QUERY,
            conversation_id=stored["id"],
            budget_tokens=60,
            history={"max_share": share, "max_messages": 6},
        )
        used = sum(each["tokens"] for each in bundle["recent_history"])
        assert used <= 60 * share
        assert history_of(bundle) == ABOUT[6 - len(bundle["recent_history"]) :]
        assert bundle["metadata"]["total_tokens"] <= 60


@pytest.mark.parametrize("strategy", ["simple", "summarization", "hybrid"])
async def test_every_history_strategy_answers(alone: AsyncClient, strategy: str) -> None:
    stored = await store(alone, *ABOUT)

    bundle = await context(
        alone, QUERY, conversation_id=stored["id"], history={"strategy": strategy}
    )

    assert history_of(bundle)


@pytest.mark.parametrize(
    "history",
    [{"strategy": "x"}, {"max_messages": -1}, {"max_share": 1.1}, {"max_share": -0.1}, {"n": 1}],
)
async def test_impossible_history_is_refused(alone: AsyncClient, history: Json) -> None:
    answer = await alone.post("/context", json={"query": "q", "history": history})
    problem(answer, 422, "invalid-request")


async def test_the_running_conversation_is_searched_first(client: AsyncClient) -> None:
    running = await store(client, *ABOUT[:3])
    await store(client, *ABOUT[3:])

    bundle = await context(
        client, QUERY, conversation_id=running["id"], history={"max_messages": 0}
    )

    assert set(contents(bundle)) == set(ABOUT[:3])


async def test_everything_is_searched_where_the_conversation_has_fewer_than_three_good_ones(
    client: AsyncClient,
) -> None:
    running = await store(client, *ABOUT[:2], "Tomatoes grow well in the greenhouse.")
    await store(client, *ABOUT[2:])

    bundle = await context(
        client, QUERY, conversation_id=running["id"], history={"max_messages": 0}
    )

    assert set(contents(bundle)) == set(ABOUT)
    assert bundle["metadata"]["conversations_included"] == 2


async def test_what_answers_elsewhere_is_not_kept_out_by_what_is_merely_about_it_here(
    client: AsyncClient,
) -> None:
    """A chat that goes on about tea must not hide what was said of it a month before."""
    answer = "My mother brought sencha from Kyoto when she came back in spring."
    await store(client, "We cleaned the kitchen.", answer, "Then it rained all day.")
    chat = [
        f"Talk {n} is about tea: I like the {name} kind of tea." for n, name in enumerate(NAMES)
    ]
    running = await store(client, *chat, *chat, "Which tea shall I drink?")

    bundle = await context(
        client, "Which tea did my mother bring from Kyoto?", conversation_id=running["id"]
    )

    assert contents(bundle)[0] == answer
    assert bundle["metadata"]["sufficient"]


async def test_what_the_running_conversation_says_comes_before_the_same_elsewhere(
    client: AsyncClient,
) -> None:
    running = await store(client, *ABOUT[:2])
    await store(client, *ABOUT[2:])

    bundle = await context(
        client, QUERY, conversation_id=running["id"], history={"max_messages": 0}, explain=True
    )

    first, *others = bundle["retrieved_memories"]
    assert {first["content"], others[0]["content"]} == set(ABOUT[:2])
    assert set(contents(bundle)) == set(ABOUT)
    assert [each["signals"]["running"] for each in (first, *others)] == [1, 1, 0, 0, 0, 0]


async def test_what_the_running_conversation_has_better_is_dropped_for_that(
    client: AsyncClient,
) -> None:
    running = await store(client, *ABOUT[:3])
    await store(client, ABOUT[3])

    bundle = await context(
        client, QUERY, conversation_id=running["id"], history={"max_messages": 0}, explain=True
    )

    (dropped,) = bundle["metadata"]["dropped"]
    assert dropped["reason"] == "better in the running conversation"


async def test_an_excluded_running_conversation_still_has_its_history(client: AsyncClient) -> None:
    running = await store(client, *ABOUT[:3])
    await store(client, *ABOUT[3:])

    bundle = await context(
        client,
        QUERY,
        conversation_id=running["id"],
        history={"max_messages": 1},
        filters={"exclude_conversation_ids": [running["id"]]},
    )

    assert history_of(bundle) == [ABOUT[2]]
    assert set(contents(bundle)) == set(ABOUT[3:])


async def test_without_user_id_the_conversations_user_counts(client: AsyncClient) -> None:
    running = await store(client, "Hello.", user_id="alice")
    await store(client, ABOUT[0], user_id="alice")
    await store(client, ABOUT[1])

    bundle = await context(client, QUERY, conversation_id=running["id"])

    assert contents(bundle) == [ABOUT[0]]


async def test_a_conversation_of_another_user_is_not_found(client: AsyncClient) -> None:
    stored = await store(client, *ABOUT, user_id="alice", external_id="chat")
    nobody = str(uuid4())

    for asked in (
        {"conversation_id": stored["id"], "user_id": "bob"},
        {"conversation_external_id": "chat", "user_id": "bob"},
        {"conversation_external_id": "chat"},
        {"conversation_id": nobody},
        {"conversation_external_id": "other", "user_id": "alice"},
    ):
        for path in ("/context", "/search"):
            answer = await client.post(path, json={"query": QUERY, **asked})
            problem(answer, 404, "conversation-not-found")
    debug = await client.get(
        "/memory/debug/retrieval", params={"q": QUERY, "conversation_id": nobody}
    )
    problem(debug, 404, "conversation-not-found")


async def test_a_conversation_is_named_in_one_way(alone: AsyncClient) -> None:
    both = {"conversation_id": str(uuid4()), "conversation_external_id": "chat"}
    answer = await alone.post("/context", json={"query": "q", **both})
    problem(answer, 422, "invalid-request")


async def test_system_messages_are_history_but_never_found(client: AsyncClient) -> None:
    rule = said("You are the keeper of the servers. The server is called Odin.", "system")
    running = await store(client, rule, said("Hello."), user_id="alice")

    bundle = await context(client, QUERY, conversation_id=running["id"])
    elsewhere = await context(client, QUERY, user_id="alice")

    assert history_of(bundle) == [rule["content"], "Hello."]
    assert contents(bundle) == contents(elsewhere) == []
    assert contents(await search(client, "keeper of the servers", user_id="alice")) == []
    stats = await get(client, "/memory/debug/stats")
    assert (stats["messages"], stats["vectors"]) == (2, 1)


@pytest.mark.parametrize("strategy", ["simple", "summarization", "hybrid"])
async def test_the_first_system_message_stays_in_every_history(
    client: AsyncClient, strategy: str
) -> None:
    stored = await store(client, said("Be brief.", "system"), *map(str, range(20)))

    for most, ends in ((4, ["17", "18", "19"]), (1, [])):
        history = {"strategy": strategy, "max_messages": most}
        bundle = await context(client, "zymurgy", conversation_id=stored["id"], history=history)
        assert history_of(bundle) == (["Be brief.", *ends] if ends else ["19"])


async def test_a_pinned_system_message_is_not_found_either(client: AsyncClient) -> None:
    await store(client, said("The server is called Odin.", "system", importance=10))

    assert contents(await context(client, QUERY)) == []


async def test_tool_calls_stay_with_their_answers_in_messages(client: AsyncClient) -> None:
    stored = await store(
        client,
        said("What time is it?"),
        said(None, "assistant", tool_calls=[CALL]),
        said("12:00", "tool", tool_call_id="call-1"),
        said("It is noon.", "assistant"),
    )

    whole = await context(client, "And now?", conversation_id=stored["id"], format="messages")
    cut = await context(
        client,
        "And now?",
        conversation_id=stored["id"],
        format="messages",
        history={"max_messages": 2},
    )

    roles = [each["role"] for each in whole["messages"] if each["role"] != "system"]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    assert whole["messages"][-4]["tool_calls"] == [CALL]
    kept = [each["role"] for each in cut["messages"] if each["role"] != "system"]
    assert "tool" not in kept
    assert kept[-2:] == ["assistant", "user"]


async def test_the_question_is_not_said_twice_in_messages(client: AsyncClient) -> None:
    stored = await store(client, "Hello.", QUERY)

    bundle = await context(client, QUERY, conversation_id=stored["id"], format="messages")

    said_now = [each["content"] for each in bundle["messages"] if each["role"] == "user"]
    assert said_now.count(QUERY) == 1


async def test_an_archived_running_conversation_has_no_part_in_its_context(
    client: AsyncClient,
) -> None:
    stored = await store(client, *ABOUT)
    await client.patch(f"/conversations/{stored['id']}", json={"archived": True})

    bundle = await context(client, QUERY, conversation_id=stored["id"])

    assert contents(bundle) == []
    assert history_of(bundle) == []
