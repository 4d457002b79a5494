import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.negation import split_exclusions


@pytest.mark.parametrize(
    ("query", "rest", "excluded"),
    [
        ("databases NOT mysql", "databases", ["mysql"]),
        ("pets NOT dogs NOT cats", "pets", ["dogs", "cats"]),
        ('tea NOT "green tea"', "tea", ["green tea"]),
        ('tea -"with milk" please', "tea please", ["with milk"]),
        ("what pets NOT dogs?", "what pets ?", ["dogs"]),
        ("editors NOT vim.tiny", "editors", ["vim.tiny"]),
        ("データベース NOT mysql", "データベース", ["mysql"]),
        ("日记 NOT 東京。", "日记 。", ["東京"]),
        ("Which database did we pick NOT MongoDB", "Which database did we pick", ["MongoDB"]),
        ("What do we use for caching NOT redis?", "What do we use for caching ?", ["redis"]),
        ("did the team pick NOT mysql", "did the team pick", ["mysql"]),
        ("which fruits NOT apples", "which fruits", ["apples"]),
        ("how do we deploy NOT docker", "how do we deploy", ["docker"]),
        ("deploy AND NOT docker", "deploy", ["docker"]),
        ("caching NOT redis AND NOT kafka", "caching", ["redis", "kafka"]),
        ("what can we use but NOT c++.", "what can we use .", ["c++"]),
        ("NOT redis caching", "caching", ["redis"]),
        ("pets NOT cats: dogs", "pets : dogs", ["cats"]),
        ("pets (NOT cats)", "pets (NOT cats)", []),
    ],
)
def test_what_is_not_wanted_is_split_off(query: str, rest: str, excluded: list[str]) -> None:
    assert split_exclusions(query) == (rest, excluded)


@pytest.mark.parametrize(
    "query",
    [
        "why did I not sleep",
        "Why does the server NOT start?",
        "what did we NOT choose",
        "it is NOT working",
        "you must NOT delete it",
        "Does Anna NOT eat fish?",
        "we should NOT use tabs",
        "why NOT postgres",
        "I want it NOT to stop",
        "to be or NOT to be",
        "WHERE name IS NOT NULL",
        "where deleted NOT IN (1)",
        "DO NOT TOUCH THIS",
        "TEA NOT MILK",
        "NOT dogs",
        'NOT "dogs"',
        "git commit -m message",
        "find files -name x",
        "a cake without nuts",
        "everything except fish",
        "well-known -",
        "whether or not",
        "tea NOT milk " * 200,
        "",
    ],
)
def test_other_queries_stay_as_they_are(query: str) -> None:
    assert split_exclusions(query) == (query, [])


@given(
    st.text() | st.lists(st.sampled_from(["NOT", "tea", '"', '-"a b"', "is", ","])).map(" ".join)
)
def test_something_is_always_left_to_look_for(query: str) -> None:
    rest, excluded = split_exclusions(query)
    assert (rest == query) or excluded
    assert not excluded or any(map(str.isalnum, rest))
    assert all(each in query for each in excluded)
