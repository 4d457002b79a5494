"""What leads in to a brief message."""

from app.text.lead_in import MESSAGES, ROOM, leading_in


def test_the_nearest_count_in_the_order_in_which_they_were_said() -> None:
    before = [("four", 5), ("three", 5), ("two", 5), ("one", 5)]
    assert leading_in(before) == ["two", "three", "four"]
    assert len(leading_in(before * 3)) == MESSAGES


def test_what_is_long_is_not_read_nor_what_stands_before_it() -> None:
    assert leading_in([("near", 5), ("long", ROOM - 4), ("far", 1)]) == ["near"]
    assert leading_in([("long", ROOM + 1), ("far", 1)]) == []
    assert leading_in([("just", ROOM), ("far", 1)]) == ["just"]


def test_nothing_leads_in_to_what_is_said_first() -> None:
    assert leading_in([]) == []
