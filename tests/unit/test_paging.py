"""Lists that are at hand as a whole come in pages."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.api.paging import page_of
from app.api.schemas.conversations import PageQuery
from app.domain.errors import InvalidCursor


@dataclass(frozen=True)
class Item:
    id: int


@given(ids=st.lists(st.integers(), unique=True), limit=st.integers(1, 9))
def test_the_pages_of_a_list_put_together_are_the_list(ids: list[int], limit: int) -> None:
    items = [Item(each) for each in ids]
    told: list[Item] = []
    cursor = None
    while True:
        page = page_of(items, PageQuery(limit=limit, cursor=cursor))
        assert len(page.items) <= limit
        told += page.items
        if (cursor := page.next_cursor) is None:
            break
        assert len(page.items) == limit
    assert told == items


def test_a_cursor_of_another_list_is_refused() -> None:
    with pytest.raises(InvalidCursor):
        page_of([Item(1)], PageQuery(cursor="2"))
