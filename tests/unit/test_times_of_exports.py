"""What an export tells no time of was said when its neighbours were."""

from itertools import chain

import pytest

from app.formats.interleaved import PORTION
from tests.exports import lines_of
from tests.readings import said_in


def hours_in(raw: bytes) -> list[int | None]:
    messages = chain.from_iterable(each.conversation.messages for each in said_in(raw))
    return [each.created_at.hour if each.created_at else None for each in messages]


def at(hour: int) -> str:
    return f"2024-03-01T{hour:02}:00:00Z"


TIMES = ["", at(3), "", at(5), ""]


@pytest.mark.parametrize("between", [0, PORTION])
def test_a_row_without_a_time_has_that_of_the_row_before(between: int) -> None:
    times = [*TIMES, *[""] * between]
    raw = "\n".join(["content,time", *(f"hello,{each}" for each in times)]).encode()
    assert hours_in(raw) == [3, 3, 3, 5, 5, *[5] * between]


def test_each_conversation_of_a_table_has_its_own_times() -> None:
    rows = [f"a,hello,{at(3)}", f"b,hello,{at(7)}", "a,hello,", "b,hello,", "c,hello,"]
    raw = "\n".join(["thread,content,time", *rows]).encode()
    assert hours_in(raw) == [3, 7, 3, 7, None]


def test_lists_of_messages_are_read_in_the_same_way() -> None:
    several = [{"role": "user", "content": "hello", "created_at": each} for each in TIMES]
    assert hours_in(lines_of(*several)) == [3, 3, 3, 5, 5]
