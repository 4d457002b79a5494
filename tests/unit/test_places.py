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
    assert list(beside(found, 2)) == [*chunks[:2], *items, *messages[:2]]


def test_of_few_all_stay() -> None:
    found = dict.fromkeys(of(Table.MESSAGE, 1, 2))
    assert beside(found, 2) == found
