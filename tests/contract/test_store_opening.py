"""How a conversation that goes on is entered."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from app.domain.conversation import KEPT, Role
from app.domain.memory import ItemType
from app.ports import RecallFilter
from app.ports.store import Store
from app.ports.stored import Opening
from tests.stored import ACME, NOON, OTHER, SECOND, Kept, keep, last_of, said, tell

MODEL = "mini"
RULE = said("Be brief.", role=Role.SYSTEM)
DECISION = said("We use PostgreSQL.", at=NOON + SECOND, importance=8)
ROUTINE = [said(f"Well, {n}.", at=NOON + (2 + n) * SECOND) for n in range(6)]


async def opening(store: Store, kept: Kept, most: int = 3, keep: int = 5, **about: Any) -> Opening:
    tenant = about.pop("tenant", ACME)
    summary = about.pop("summary", MODEL)
    within = replace(kept.within, **{"now": NOON + timedelta(days=1), **about})
    async with store.read(tenant) as snapshot:
        return await snapshot.recall.opening(
            kept.conversation, within=within, most=most, kept=keep, summary=summary
        )


def texts(messages: Any) -> list[str]:
    return [each.content for each in messages]


async def sum_up(store: Store, kept: Kept, content: str, *messages: int, **about: Any) -> None:
    ids = [kept.messages[at].id for at in messages]
    told = {"type": ItemType.SUMMARY, "subject": "it", "derived_from": ids, **about}
    await tell(store, content, user_id=None, conversation_id=kept.conversation.id, **told)


async def test_it_is_the_end_and_what_is_kept_wherever_it_stands(store: Store) -> None:
    kept = await keep(store, RULE, DECISION, *ROUTINE)
    found = await opening(store, kept)
    assert texts(found.tail) == ["Well, 3.", "Well, 4.", "Well, 5."]
    assert texts(found.kept) == ["Be brief.", "We use PostgreSQL."]
    assert texts(found.rules) == ["Be brief."]
    assert len(found.summary) == 0
    whole = await opening(store, kept, most=100)
    assert len(whole.tail) == 8
    assert texts(whole.kept) == texts(found.kept)
    async with store.read(ACME) as snapshot:
        tail = await last_of(snapshot.messages, kept.conversation.key, limit=100)
    assert list(whole.tail) == list(tail)
    assert list(found.kept) == list(tail[:2])


async def test_a_message_is_read_as_it_was_stored(store: Store) -> None:
    calls = [{"id": "a", "function": {"name": "f"}}]
    called = said(None, role=Role.ASSISTANT, tool_calls=calls, external_id="m", name="Bot")
    kept = await keep(store, called, said("3", role=Role.TOOL, tool_call_id="a", metadata={"n": 1}))
    async with store.read(ACME) as snapshot:
        tail = await last_of(snapshot.messages, kept.conversation.key, limit=100)
    assert list((await opening(store, kept)).tail) == list(tail)
    assert tail[0].tool_calls == calls


async def test_nothing_is_kept_for_who_wants_nothing_kept(store: Store) -> None:
    kept = await keep(store, RULE, DECISION, *ROUTINE)
    found = await opening(store, kept, most=2, keep=0)
    assert texts(found.tail) == ["Well, 4.", "Well, 5."]
    assert list(found.kept) == []


async def test_its_first_system_message_is_there_however_many_came_since(store: Store) -> None:
    newer = [said(f"Rule {n}.", role=Role.SYSTEM) for n in range(5)]
    kept = await keep(store, "Hello.", DECISION, RULE, *newer, *ROUTINE)
    found = await opening(store, kept, most=2, keep=0)
    assert (texts(found.rules), texts(found.tail)) == (["Be brief."], ["Well, 4.", "Well, 5."])
    assert texts((await opening(store, kept, keep=1)).rules) == ["Be brief."]
    assert list((await opening(store, kept, as_of=NOON - SECOND)).rules) == []
    without = await keep(store, DECISION, *ROUTINE)
    assert list((await opening(store, without, keep=0)).rules) == []


async def test_system_messages_are_kept_before_newer_ones_that_are_important(store: Store) -> None:
    newer = [said(f"Rule {n}.", importance=9) for n in range(5)]
    kept = await keep(store, RULE, *newer, *ROUTINE)
    assert texts((await opening(store, kept, keep=3)).kept) == ["Be brief.", "Rule 3.", "Rule 4."]


async def test_as_of_before_nothing_later_is_there(store: Store) -> None:
    kept = await keep(store, RULE, DECISION, *ROUTINE)
    await sum_up(store, kept, "About databases.", 1, valid_from=NOON + SECOND)
    found = await opening(store, kept, as_of=NOON)
    assert texts(found.tail) == texts(found.kept) == ["Be brief."]
    assert len(found.summary) == 0
    assert len((await opening(store, kept, as_of=NOON + SECOND)).summary) == 1


async def test_the_summary_is_the_one_that_holds(store: Store) -> None:
    kept = await keep(store, RULE, DECISION, *ROUTINE)
    await sum_up(store, kept, "About databases.", 1, valid_from=NOON + SECOND)
    await sum_up(store, kept, "About much.", 1, 5, valid_from=NOON + 5 * SECOND)
    now = (await opening(store, kept)).summary
    then = (await opening(store, kept, as_of=NOON + 4 * SECOND)).summary
    assert list(now.contents) == ["About much."]
    assert list(then.contents) == ["About databases."]
    assert [edge.id for edge in now.read(0).lineage] == [str(kept.messages[at].id) for at in (1, 5)]
    assert now.types == [ItemType.SUMMARY]
    assert len((await opening(store, kept, summary=None)).summary) == 0


async def test_a_summary_is_known_once_all_is_said_that_it_tells(store: Store) -> None:
    kept = await keep(store, RULE, DECISION, *ROUTINE)
    await sum_up(store, kept, "About much.", 1, 5, valid_from=NOON)
    assert len((await opening(store, kept, as_of=NOON + 4 * SECOND)).summary) == 0
    assert len((await opening(store, kept, as_of=NOON + 5 * SECOND)).summary) == 1


async def test_another_conversation_and_another_tenant_have_their_own(store: Store) -> None:
    kept = await keep(store, RULE, DECISION)
    other = await keep(store, "Hello.")
    await sum_up(store, kept, "About databases.", 1)
    found = await opening(store, other)
    assert (texts(found.tail), texts(found.kept), len(found.summary)) == (["Hello."], [], 0)
    foreign = await opening(store, kept, tenant=OTHER)
    assert (list(foreign.tail), list(foreign.kept), len(foreign.summary)) == ([], [], 0)
    assert isinstance(kept.within, RecallFilter)


async def test_what_rules_rate_high_is_kept_unless_the_caller_says_otherwise(store: Store) -> None:
    decided = "We decided on PostgreSQL for the billing service."
    kept = await keep(store, decided, said(decided + " Really.", importance=3), *ROUTINE)
    async with store.read(ACME) as snapshot:
        tail = await last_of(snapshot.messages, kept.conversation.key, limit=100)
    found = await opening(store, kept, most=100)
    assert list(found.tail) == list(tail)
    assert tail[0].rating is not None
    assert tail[0].rating.importance >= KEPT
    assert list(found.kept) == list(tail[:1])
