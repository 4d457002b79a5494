"""Full text: finds by terms, in one scope, whatever the query holds."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.domain.conversation import ConversationChanges, Role
from app.domain.ids import ItemKey
from app.domain.memory import Table, rows_of
from app.ports import Part, RecallFilter
from app.ports.store import Store
from app.ports.stored import LexicalAnswer
from app.text.terms import QueryTerms, terms_of
from tests.stored import ACME, NOON, Kept, append, find, keep, said, scope_now

ANIMALS = ("dogs bark at night", "cats sleep all day", "a dog and a cat", "birds sing")


async def found(store: Store, query: str, kept: Kept) -> set[int]:
    """The positions of what is found."""
    keys = await find(store, query, kept.within)
    assert len(set(keys)) == len(keys)
    return {list(kept.keys).index(key) for key in keys}


async def frequencies(store: Store, kept: Kept, terms: Sequence[str]) -> Mapping[str, int]:
    async with store.read(ACME) as snapshot:
        answer = await snapshot.recall.find(
            QueryTerms(terms=terms), scope=await scope_now(store), within=kept.within, limit=1
        )
    return answer.document_frequency


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ("dog", {0, 2}),
        ("DOGS!", {0, 2}),
        ("cat dog", {0, 1, 2}),
        ("bark", {0}),
        ("barking", {0}),
        ("bar", set()),
        ("fish", set()),
        ("fish sing", {3}),
        ("", set()),
        ("?!", set()),
        ("and the", set()),
        ("who are you", set()),
    ],
)
async def test_any_of_the_terms_finds(store: Store, query: str, positions: set[int]) -> None:
    kept = await keep(store, *ANIMALS)
    assert await found(store, query, kept) == positions


async def test_a_part_is_looked_into_besides(store: Store) -> None:
    """The best of one conversation, beside those of all, of which they are none."""
    here = await keep(store, "dogs", "cats sleep", "dogs and birds")
    kept = await keep(store, *["dogs dogs bark"] * 5)
    inside = replace(kept.within, conversations=frozenset([here.conversation.key]))

    async def answer(terms: str, **narrowed: Any) -> LexicalAnswer:
        within = replace(inside, **narrowed)
        async with store.read(ACME) as snapshot:
            return await snapshot.recall.find(
                QueryTerms(terms=terms_of(terms)),
                scope=await scope_now(store),
                within=kept.within,
                limit=2,
                besides=Part(within=within, limit=9),
            )

    def said(answer: LexicalAnswer) -> set[int]:
        assert not {*answer.besides} & {*answer.keys}
        return {list(here.keys).index(key) for key in answer.besides}

    assert said(await answer("dogs bark")) == {0, 2}
    assert len((await answer("dogs bark")).keys) == 2
    assert said(await answer("fish")) == set()
    assert said(await answer("dogs bark", before=NOON)) == set()
    assert said(await answer("dogs bark", conversations=frozenset())) == set()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Das Café in Ångström", "cafe"),
        ("the cafe", "CAFÉ"),
        ("die Straße", "STRASSE"),
        ("東京 is big", "東京"),
        ("горячие щи", "ЩИ"),
        ("ﬁne ligature", "fine"),
        ("x² + y²", "x2"),
        ("get_user_by_id()", "get_user_by_id"),
        ("version 1:word 12:word", "word"),
        ("naïve 🧭 emoji", "naive"),
        ("मुझे हिन्दी पसंद है", "हिन्दी"),
    ],
)
async def test_spelling_does_not_hide(store: Store, text: str, query: str) -> None:
    assert await found(store, query, await keep(store, "other", text)) == {1}


async def test_the_speaker_is_found_too(store: Store) -> None:
    kept = await keep(store, said("hello", name="Zoë"), said("Zoe is not here"), "hello")
    assert await found(store, "zoe", kept) == {0, 1}


HOSTILE = [
    '"', "'", '""', "''", '"dog', "dog'", "dog AND", "AND", "OR", "NOT dog", "NEAR(dog cat, 2)",
    "dog*", "^dog", "-dog", "+dog", "terms:dog", "terms : dog", "place : c1", "{terms} : dog",
    "(dog", "dog)", "dog & !", "dog | cat & (", "dog:*", "dog:A", "dog <-> cat", "!dog", "\\",
    "\\'", "dog; DROP TABLE message; --", "%", "_", "__", "?", "$1", ":dog", "%(dog)s", "🧭",
    "\U0001f469\u200d\U0001f467", "\u200b", "\x01", "\u2028", "ﷺ", "٣", "½", "İ", "ß", "1:dog",
    "c1", "x" * 100_000, "🧭" * 25_000, "dog " * 25_000, "'" * 100_000,
    " ".join(f"w{number}" for number in range(15_000)),
]  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE, ids=lambda query: repr(query[:30]))
async def test_no_query_fails(store: Store, query: str) -> None:
    kept = await keep(store, *ANIMALS)
    assert await found(store, query, kept) <= {0, 1, 2, 3}


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:30]))
async def test_every_text_is_stored_and_found_by_itself(store: Store, text: str) -> None:
    before, kept = await keep(store, "before"), await keep(store, text)
    keys = set(await find(store, text, kept.within, limit=1_000)) - set(before.keys)
    assert bool(keys) == bool(terms_of(text))
    assert keys <= set(kept.keys)


async def test_any_text_finds_itself(store: Store) -> None:
    kept = await keep(store)
    loop = asyncio.get_running_loop()

    async def stored_and_found(text: str) -> None:
        async with store.write(ACME) as transaction:
            _, keys = await append(transaction, kept.conversation, text)
        if terms_of(text):
            assert keys[0] in await find(store, text, kept.within, limit=10_000)

    @settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
    @given(text=st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")))
    def check(text: str) -> None:
        asyncio.run_coroutine_threadsafe(stored_and_found(text), loop).result(timeout=60)

    await asyncio.to_thread(check)


async def test_frequencies_count_messages_of_the_scope(store: Store) -> None:
    kept = await keep(store, *ANIMALS)
    await keep(store, "dog dog dog", user_id="bob")
    assert await frequencies(store, kept, ["dog", "cat", "bark", "fish"]) == {
        "dog": 2,
        "cat": 2,
        "bark": 1,
    }
    assert await frequencies(store, kept, []) == {}


async def test_the_rarest_terms_decide_the_order(store: Store) -> None:
    kept = await keep(store, *["common"] * 20, "common rare", "rare", "common rarest", "common")
    keys = list(kept.keys)
    order = [keys.index(key) for key in await find(store, "common rare rarest", kept.within)]
    assert order[:3] == [22, 20, 21]
    assert order[3:] == sorted(order[3:], reverse=True)
    assert [
        keys.index(key) for key in await find(store, "common rarest", kept.within, limit=2)
    ] == [
        22,
        23,
    ]


async def test_a_search_gives_no_more_than_the_limit(store: Store) -> None:
    kept = await keep(store, *["word"] * 9)
    assert len(await find(store, "word", kept.within, limit=4)) == 4
    assert list(await find(store, "word", kept.within, limit=4)) == list(reversed(kept.keys))[:4]


async def test_frequent_terms_beyond_the_reading_limit_are_left_unpaid(store: Store) -> None:
    kept = await keep(store, *["common filler"] * 4_500, "common rare")
    keys = await find(store, "common rare filler", kept.within, limit=5_000)
    assert list(keys) == [kept.keys[-1]]
    assert len(await find(store, "common", kept.within, limit=5_000)) == 4_501


async def test_a_message_is_found_within_the_transaction_after_it(store: Store) -> None:
    kept = await keep(store, "first")
    async with store.write(ACME) as transaction:
        _, (key,) = await append(transaction, kept.conversation, "second")
    assert list(await find(store, "second", kept.within)) == [key]


@pytest.mark.parametrize("letter", ["x", "ж", "漢"])
async def test_a_message_of_60_000_distinct_terms_is_stored_and_found(
    store: Store, letter: str
) -> None:
    text = " ".join(f"{letter * 8}{number}" for number in range(60_000))
    kept = await keep(store, "before", f"aardvark {text} zebra")
    assert await found(store, "aardvark", kept) == {0}
    chunks = len(rows_of(Table.CHUNK, kept.keys))
    assert await found(store, "zebra", kept) == {chunks - 1}


async def test_a_message_of_long_distinct_terms_is_stored(store: Store) -> None:
    text = " ".join(f"{number}{'ж' * 70}" for number in range(20_000))
    kept = await keep(store, f"{text} before")
    assert await found(store, f"0{'ж' * 70}", kept) == {0}


async def archive(store: Store, kept: Kept, *, archived: bool) -> None:
    given = ConversationChanges(given=frozenset({"archived"}), archived=archived)
    async with store.write(ACME) as transaction:
        await transaction.conversations.change(kept.conversation.key, given, now=NOON)
        changed = await transaction.conversations.get(kept.conversation.id)
        if archived:
            await transaction.messages.unindex(changed, now=NOON)
        else:
            await transaction.messages.reindex(changed, now=NOON)


async def test_the_archived_is_not_found_until_it_is_back(store: Store) -> None:
    kept = await keep(store, *ANIMALS)
    other = await keep(store, "a dog elsewhere")
    await archive(store, kept, archived=True)
    assert list(await find(store, "dog", kept.within)) == list(other.keys)
    assert await frequencies(store, kept, ["dog"]) == {"dog": 1}
    await archive(store, kept, archived=False)
    assert set(await find(store, "dog", kept.within)) == {*other.keys, kept.keys[0], kept.keys[2]}


async def test_what_is_appended_to_an_archive_is_found_when_it_is_back(store: Store) -> None:
    kept = await keep(store, "dog")
    await archive(store, kept, archived=True)
    async with store.write(ACME) as transaction:
        conversation = await transaction.conversations.get(kept.conversation.id)
        _, keys = await append(transaction, conversation, "another dog")
    assert list(keys) == []
    assert list(await find(store, "dog", kept.within)) == []
    await archive(store, kept, archived=False)
    assert len(await find(store, "dog", kept.within)) == 2
    assert (await scope_now(store)).messages == 2


async def test_the_deleted_is_not_found(store: Store) -> None:
    kept = await keep(store, *ANIMALS)
    async with store.write(ACME) as transaction:
        await transaction.erase.message(kept.messages[0].id, now=NOON)
    assert await found(store, "dog bark", kept) == {2}
    assert await frequencies(store, kept, ["dog", "bark"]) == {"dog": 1}


async def test_system_messages_are_not_found(store: Store) -> None:
    kept = await keep(store, said("be a dog", role=Role.SYSTEM), "dog")
    keys = await find(store, "dog", kept.within)
    assert list(keys) == list(kept.keys)
    assert len(keys) == 1


async def test_no_scope_but_the_first_is_searched(store: Store) -> None:
    alice, bob = await keep(store, "dog"), await keep(store, "dog", user_id="bob")
    assert list(await find(store, "dog", alice.within)) == list(alice.keys)
    assert list(await find(store, "dog", bob.within)) == list(bob.keys)


async def test_scopes_whose_numbers_begin_alike_are_apart(store: Store) -> None:
    """Scope 1 and scope 11, conversation 2 and conversation 21."""
    kept = [await keep(store, "dog", user_id=str(number)) for number in range(25)]
    for each in kept:
        assert list(await find(store, "dog", each.within)) == list(each.keys)
    several = [await keep(store, "dog", user_id="many") for _ in range(25)]
    for each in several:
        inside = frozenset([each.conversation.key])
        within = RecallFilter(scopes=[each.scope.key], conversations=inside)
        assert list(await find(store, "dog", within)) == list(each.keys)


async def test_what_is_found_is_an_item_key(store: Store) -> None:
    kept = await keep(store, "dog")
    assert [ItemKey(key) for key in await find(store, "dog", kept.within)] == list(kept.keys)
