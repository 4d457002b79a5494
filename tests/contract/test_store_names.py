"""Full text finds names by their parts, their whole and their beginning, in every script."""

import pytest

from app.domain.ids import ItemKey
from app.ports.store import Store
from app.ports.stored import LexicalAnswer
from app.text.excluded import excluded_terms
from app.text.terms import query_terms
from tests.stored import ACME, Kept, keep, scope_now

CODE = (
    "call replacePlaceholders() first",
    "then replace the placeholders by hand",
    "app.ranking.bm25 packs the terms",
    "user_id and getUserById live in src/app/users.py",
    "it failed with ORA-00942 and E1101",
    "HRESULT 0x80070057, HTTP 404, version 3.11.4 of sha256sum",
    "nothing of it",
    "the peer hung up: ECONNRESET",
)
SPOKEN = (
    "明日、東京に行きます",
    "我喜欢喝绿茶。不喜欢咖啡",
    "한국어를 공부합니다",
    "ฉันชอบดื่มกาแฟร้อนทุกเช้า",
    "ຂ້ອຍມັກກິນເຂົ້າໜຽວ",
    "ខ្ញុំចូលចិត្តកាហ្វេ",
    "ကျွန်တော် ကော်ဖီ ကြိုက်တယ်",
    "Мы купили новые книги вчера",
    "الكتاب على الطاولة",
    "मुझे हिन्दी किताबें पसंद हैं",
    "Wir fahren mit den Zügen nach Köln",
    "Las llaves están en la cocina",
    "βιβλία στο τραπέζι",
    "הספר על השולחן",
)


async def answer(store: Store, query: str, kept: Kept, without: str = "") -> LexicalAnswer:
    async with store.read(ACME) as snapshot:
        return await snapshot.recall.find(
            query_terms(query),
            scope=await scope_now(store),
            within=kept.within,
            limit=100,
            without=excluded_terms([without] if without else []),
        )


async def found(store: Store, query: str, kept: Kept) -> list[int]:
    """The positions of what is found, best first."""
    keys = (await answer(store, query, kept)).keys
    return [list(kept.keys).index(ItemKey(key)) for key in keys]


@pytest.mark.parametrize(
    ("query", "positions"),
    [
        ("replacePlaceholders", [0, 1]),
        ("replace_placeholders", [0, 1]),
        ("replace placeholders", [1, 0]),
        ("replacePlace", [0, 1]),
        ("replacePlaceh", [0, 1]),
        ("`repla`", [0, 1]),
        ("replacepl*", [0]),
        ("getUserBy", [3]),
        ("userId", [3]),
        ("users.py", [3]),
        ("app/users.py", [3, 2]),
        ("app.rank", [2, 3]),
        ("bm25", [2]),
        ("ORA-00942", [4]),
        ("ORA 00942", [4]),
        ("E1101", [4]),
        ("E11", [4]),
        ("0x80070057", [5]),
        ("0x8007", [5]),
        ("404", [5]),
        ("3.11", [5]),
        ("sha256", [5]),
        ("ECONNRESET", [7]),
        ("why ECONNRES", [7]),
        ("repl", []),
        ("fetchAbsent", []),
    ],
)
async def test_names_are_found(store: Store, query: str, positions: list[int]) -> None:
    kept = await keep(store, *CODE)
    assert sorted(await found(store, query, kept)) == sorted(positions)
    assert (await found(store, query, kept))[:1] == positions[:1]


@pytest.mark.parametrize(
    ("query", "position"),
    [
        ("東京", 0),
        ("東京都", 0),
        ("绿茶", 1),
        ("茶", 1),
        ("한국", 2),
        ("กาแฟ", 3),
        ("ร้อน", 3),
        ("เช้า", 3),
        ("ເຂົ້າໜຽວ", 4),
        ("កាហ្វេ", 5),
        ("ကော်ဖီ", 6),
        ("книга", 7),
        ("НОВАЯ", 7),
        ("كتاب", 8),
        ("किताब", 9),
        ("zug köln", 10),
        ("llave", 11),
        ("ΒΙΒΛΙΑ", 12),
        ("הספר", 13),
    ],
)
async def test_every_script_is_found(store: Store, query: str, position: int) -> None:
    kept = await keep(store, *SPOKEN)
    assert (await found(store, query, kept))[:1] == [position]


async def test_names_are_looked_up_in_their_own_scope(store: Store) -> None:
    alice = await keep(store, "getUserById")
    bob = await keep(store, "getUserByName", user_id="bob")
    assert (await answer(store, "getUserB", alice)).document_frequency == {
        "get": 1,
        "user": 1,
        "getuserbyid": 1,
    }
    assert await found(store, "getUserByN", alice) == [0]
    assert (await answer(store, "getUserById", bob)).document_frequency == {"get": 1, "user": 1}


async def test_what_continues_a_name_is_counted(store: Store) -> None:
    kept = await keep(store, "fooBarOne", "fooBarOne fooBarTwo", "fooBarTwo", "foo bar", "plain")
    frequency = (await answer(store, "fooBarT", kept)).document_frequency
    assert frequency == {"foo": 4, "bar": 4, "foobartwo": 2}
    known = (await answer(store, "fooBarOne", kept)).document_frequency
    assert "foobartwo" not in known


async def test_a_beginning_has_no_more_continuations_than_are_worth_it(store: Store) -> None:
    kept = await keep(store, *(f"fooBar{letter}x" for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ"))
    frequency = (await answer(store, "`fooba`", kept)).document_frequency
    assert list(frequency) == [f"foobar{letter}x" for letter in "abcdefghijklmnop"]


async def test_what_is_excluded_makes_room_for_what_is_not(store: Store) -> None:
    kept = await keep(store, "tea alone", *["tea with milk"] * 30, "teas with honey")
    async with store.read(ACME) as snapshot:
        answered = await snapshot.recall.find(
            query_terms("tea"),
            scope=await scope_now(store),
            within=kept.within,
            limit=2,
            without=excluded_terms(["milk"]),
        )
    assert list(answered.keys[:2]) == [kept.keys[31], kept.keys[0]]
    assert len(answered.keys) == len(set(answered.keys)) == 3


async def test_excluding_all_that_is_asked_for_finds_it_last(store: Store) -> None:
    kept = await keep(store, "tea alone", "coffee")
    assert list((await answer(store, "tea", kept, without="tea")).keys) == [kept.keys[0]]
