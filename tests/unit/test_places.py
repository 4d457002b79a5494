"""How many candidates a source is asked for, and which of them stay."""

from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key
from app.services.context.places import beside


def of(table: Table, *rows: int) -> list[ItemKey]:
    return [item_key(table, row) for row in rows]


def test_neither_chunks_nor_memory_items_take_a_message_its_place() -> None:
    chunks, items = of(Table.CHUNK, 1, 2, 3), of(Table.MEMORY, 1, 2, 3)
    messages = of(Table.MESSAGE, 1, 2, 3)
    found = dict.fromkeys([*chunks, *items, *messages])
    assert list(beside(found, 2)) == [*chunks[:2], *items[:1], *messages[:2]]


def test_beside_messages_one_memory_item_for_four_of_them_stays() -> None:
    items, messages = of(Table.MEMORY, *range(9)), of(Table.MESSAGE, *range(9))
    found = dict.fromkeys([*items, *messages])
    assert list(beside(found, 8)) == [*items[:2], *messages[:8]]


def test_where_no_message_is_wanted_memory_items_have_all_places() -> None:
    items = of(Table.MEMORY, *range(9))
    assert list(beside(dict.fromkeys(items), 8, with_messages=False)) == items[:8]


def test_of_few_all_stay() -> None:
    found = dict.fromkeys(of(Table.MESSAGE, 1, 2))
    assert beside(found, 2) == found
