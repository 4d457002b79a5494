import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain import errors
from app.domain.errors import ConversationNotFound, ForewordError
from app.domain.ids import ItemKey
from app.domain.memory import Table, item_key, table_and_row
from tests.factories import a_bundle, a_candidate, an_item

ERRORS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, ForewordError)
]


@given(st.sampled_from(Table), st.integers(0, 2**60))
def test_an_item_key_knows_its_table_and_row(table: Table, row: int) -> None:
    assert table_and_row(item_key(table, row)) == (table, row)


@given(st.integers(0, 2**62))
def test_a_key_of_a_table_is_the_key_of_its_table_and_row(number: int) -> None:
    if number & 3 == 3:
        with pytest.raises(ValueError, match="Table"):
            table_and_row(ItemKey(number))
    else:
        assert item_key(*table_and_row(ItemKey(number))) == number


def test_newer_rows_have_larger_keys() -> None:
    keys = [item_key(table, row) for row in range(3) for table in Table]
    assert keys == sorted(set(keys))


@pytest.mark.parametrize("error", ERRORS)
def test_an_error_says_what_went_wrong_in_one_sentence(error: type[ForewordError]) -> None:
    raised = error()
    assert raised.title == str(raised)
    assert raised.title[0].isupper()
    assert raised.title.endswith(".")
    assert "\n" not in raised.title
    assert (raised.detail, raised.facts) == (None, {})


def test_no_two_errors_say_the_same() -> None:
    titles = [each().title for each in ERRORS]
    assert len(set(titles)) == len(titles) > 5


def test_an_error_carries_the_facts_of_this_one_time() -> None:
    error = ConversationNotFound("not among yours", conversation_id="42")
    assert str(error) == error.detail == "not among yours"
    assert error.facts == {"conversation_id": "42"}
    assert error.title == "There is no such conversation."


def test_a_bundle_tells_how_much_of_its_budget_is_used_and_of_how_many_conversations() -> None:
    places = [(1, 7), (2, 7), (3, 8), (4, None)]
    found = [a_candidate(an_item(row, conversation=where, tokens=50)) for row, where in places]
    bundle = a_bundle(retrieved=found)
    assert (bundle.budget_used, bundle.conversations_included) == (0.2, 2)
    assert (a_bundle().budget_used, a_bundle().conversations_included) == (0.0, 0)
    assert a_bundle(budget=0).budget_used == 0.0
