"""What is taken for a slip, and what was meant by it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.words import read_words
from app.text.scripts import stem
from app.text.spelling import MOST, RARE, meant, respelled, suspects, terms_near

WORDS = frozenset(
    """
    what did i say about the my made has she when is was dessert received relieved variable
    volunteering daughter trail trial trails hiking biking letter station stations desserts
    dog god group guesthouse asteroids and
    """.split()
)


def knows(word: str) -> bool:
    return word in WORDS


def held(*terms: str) -> dict[str, int]:
    """Terms that memory has, each in one document more than the one before."""
    return {term: at for at, term in enumerate(terms, start=1)}


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("What desesrts has she made?", ["desesrts"]),
        ("what did i say about the vareable?", ["vareable"]),
        ("What is the daugther's letter?", ["daugther"]),
        ("WHAT DESESRTS HAS SHE MADE?", []),
        ("What did Carolnie say?", []),  # a name, and who knows whose
        ("what is my grop", ["grop"]),
        ("what is my gp", []),  # too short to tell
        ("whats my dgo, thx", ["dgo"]),  # as people write in chats
        ("What did I say about volunteering, stations and trails?", []),
        ("What did I say about `desesrts`?", []),
        ('What did I say about "desesrts"?', []),
        ("What did I say about dëssërt?", []),
        ("что я сказал про десерт", []),
        ("What is desesrts.py about?", []),
        ("What is a/desesrts about?", []),
        ("what did i say about desesrts_made", []),
        ("was hat Maria gestern gebacken", []),  # mostly words that nobody knows
        ("desesrts", []),
        ("", []),
    ],
)
def test_suspect_is_what_is_not_known_among_what_is(query: str, words: list[str]) -> None:
    assert suspects(query, knows) == words


def test_where_much_is_not_known_nothing_is_suspect() -> None:
    much = [f"{'x' * at}ylophone" for at in range(1, MOST + 2)]
    plain = "what did i say about the dessert when she was"
    assert len(suspects(f"{plain} {' '.join(much[:MOST])}", knows)) == MOST
    assert not suspects(f"{plain} {' '.join(much)}", knows)


@pytest.mark.parametrize(
    ("word", "terms", "right"),
    [
        ("desesrts", ["dessert"], "desserts"),
        ("vounteering", ["volunt"], "volunteering"),
        ("recieved", ["reliev"], "received"),  # two letters swapped are likelier than one changed
        ("recieved", [], "received"),
        ("vareable", ["variabl"], "variable"),
        ("vareable", [], "variable"),  # nothing else is near
        ("traal", ["trial", "trail"], "trail"),  # said more often
        ("trall", ["trail"], "trail"),
        ("trall", [], None),  # short, and memory has nothing like it
        ("qdarnt", ["qdrant"], "qdrant"),  # only memory knows it
        ("fiking", ["hike", "bike"], "biking"),
        ("gesthouse", ["guesthous"], "guesthouse"),
        ("postgers", ["postgr"], "postgres"),
        ("dgo", ["dog", "god"], "dog"),  # short: two letters are swapped, nothing else
        ("dgo", [], None),
        ("grop", ["group", "crop"], "group"),
        ("redis", [], None),  # "reds" is known, but nobody said it
        ("rebuilt", [], None),
    ],
)
def test_meant_is_the_likeliest_word_that_memory_or_the_list_has(
    word: str, terms: list[str], right: str | None
) -> None:
    assert meant(word, held(*terms), knows) == right


@pytest.mark.parametrize(
    ("documents", "of_other", "right"),
    [(1, 1, "desserts"), (2, 2, "desserts"), (2, 1, None), (3, 9, None)],
)
def test_what_memory_has_is_right_unless_another_is_said_as_often(
    documents: int, of_other: int, right: str | None
) -> None:
    """The query itself may be stored, as chats are."""
    terms = {stem("desesrts"): documents, "dessert": of_other}
    assert meant("desesrts", terms, knows) == right


def test_another_form_of_a_word_is_no_other_word() -> None:
    assert meant("desserting", held("station"), knows) is None


def test_words_of_memory_end_as_words_do() -> None:
    """ "Reasonate" would make the term of "reason"."""
    assert meant("resonate", held("reason"), knows) is None


@given(st.text(max_size=30))
def test_its_own_term_is_looked_up_whatever_a_word_is(word: str) -> None:
    assert terms_near(word)[0] == stem(word)
    assert meant(word, {stem(word): RARE + 1}, knows) is None


def test_only_the_word_itself_is_spelled_anew() -> None:
    query = "What desesrts, (desesrts), Desesrts or desesrts.py? desesrts's"
    right = "What desserts, (desserts), Desesrts or desesrts.py? desserts's"
    assert respelled(query, {"desesrts": "desserts"}) == right
    assert respelled(query, {}) == query


@given(st.text(max_size=200))
def test_what_is_not_corrected_stays_as_it_is(query: str) -> None:
    assert respelled(query, {}) == query
    assert len(suspects(query, knows)) <= MOST


def test_the_list_has_words_with_their_forms_and_none_else() -> None:
    words = read_words()
    assert {"dessert", "desserts", "latte", "insured", "aspirin", "volunteering", "whats"} <= words
    assert not {"desesrts", "resturant", "jornal", "redis"} & words
