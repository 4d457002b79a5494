"""What an export tells no time of was said when its neighbours were."""

from itertools import chain

import pytest

from app.formats.interleaved import PORTION
from tests.exports import lines_of
from tests.readings import rejected_in, said_in


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


@pytest.mark.parametrize("told", ["1.3.2024 05:06", "01.03.2024, 5:06", "01.03.2024 05:06:00"])
def test_a_date_with_dots_begins_with_the_day(told: str) -> None:
    (found,) = said_in(f'content;time\nhello;"{told}"\n'.encode())
    assert str(found.conversation.messages[0].created_at) == "2024-03-01 05:06:00+00:00"
    assert rejected_in(b"content;time\nhello;13.13.2024\nthere;1.3.24\n") == ["line 2", "line 3"]
