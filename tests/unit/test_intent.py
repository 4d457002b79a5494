import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.context import Intent
from app.text.intent import intent_of


@pytest.mark.parametrize(
    ("query", "intent"),
    [
        ("What does `parse` return?", Intent.CODE),
        ("why is parseConfig slow", Intent.CODE),
        ("rename user_id everywhere", Intent.CODE),
        ("call open() first", Intent.CODE),
        ("what is in settings.toml", Intent.CODE),
        ("the traceback of before", Intent.CODE),
        ("Who owns parseConfig?", Intent.CODE),
        ("what raises ValueError here", Intent.CODE),
        ("ORA-00942 on start", Intent.CODE),
        ("what does E1101 mean", Intent.CODE),
        ("HTTP 404 from the proxy", Intent.CODE),
        ("run it with --verbose", Intent.CODE),
        ("python check if a variable is iterable", Intent.CODE),
        ("Which function parses the header?", Intent.CODE),
        ("the code of the header", Intent.CODE),
        ("What is the door code?", Intent.RECALL),
        ("PIN code", Intent.OPEN),
        ("the exit code 137", Intent.CODE),
        ("When did we switch to Python?", Intent.TEMPORAL),
        ("Who wrote the script?", Intent.RELATION),
        ("Where did I leave my iPhone?", Intent.RECALL),
        ("the person(s) in charge", Intent.OPEN),
        ("What was his last name?", Intent.RECALL),
        ("What is next to the river?", Intent.RECALL),
        ("Where may I park?", Intent.RECALL),
        ("What did she do last May?", Intent.TEMPORAL),
        ("plans for 3 May", Intent.TEMPORAL),
        ("How many days did it rain?", Intent.TEMPORAL),
        ("With whom did she travel?", Intent.RELATION),
        ("What is the difference between tea and coffee?", Intent.RECALL),
        ("¿Dónde están las llaves?", Intent.RECALL),
        ("東京はどこですか？", Intent.RECALL),  # noqa: RUF001
        ("أين الكتاب؟", Intent.RECALL),
        ("Who owns the billing service?", Intent.RELATION),
        ("Who was there yesterday?", Intent.RELATION),
        ("people that work with Bob", Intent.RELATION),
        ("When did we meet?", Intent.TEMPORAL),
        ("plans of last WEEK", Intent.TEMPORAL),
        ("what we decided in 2025", Intent.TEMPORAL),
        ("How long did it take?", Intent.TEMPORAL),
        ("Which database did we pick?", Intent.RECALL),
        ("remind me of the plan", Intent.RECALL),
        ("and the colour?  ", Intent.RECALL),
        ("Is it blue or not", Intent.RECALL),
        ("Write me a poem about tea", Intent.OPEN),
        ("whoever comes", Intent.OPEN),
        ("", Intent.OPEN),
    ],
)
def test_a_query_is_of_a_kind(query: str, intent: Intent) -> None:
    assert intent_of(query) is intent


@given(st.text())
@example("a" * 100_000)
@example("`" * 100_000)
@example("? " * 50_000)
@example("\n" * 100_000)
@example("this " * 20_000)
def test_every_text_has_an_intent_and_always_the_same(query: str) -> None:
    assert intent_of(query) is intent_of(query)


@given(st.text())
def test_room_around_a_query_does_not_change_it(query: str) -> None:
    assert intent_of(f"  {query}\n") is intent_of(query)
