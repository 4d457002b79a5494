"""
Whatever is written costs in proportion to its length, and what callers tell fails no write.

What takes more than linear time does not come to an end with the long texts here.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime

import pytest

from app.distil.entities.entity import normal_form
from app.distil.entities.linking import Links, Spoken, links_of
from app.distil.facts.fact import Fact
from app.distil.facts.filing import groups_of, kept_as, kept_fact, subject_of
from app.distil.facts.told import speakers_of, told_fact
from app.distil.facts.tools import parted
from app.distil.facts.whose import subject_of_quote
from app.distil.gist.summary import excerpts_of
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from app.domain.ids import MessageKey
from app.ranking.people import share_asking
from app.text.labels import indexed_terms
from app.text.wording import is_question, wording_of
from tests.counting import calls

NOW = datetime(2026, 3, 1, tzinfo=UTC)
MANY = 200_000


@pytest.mark.parametrize("blank", [" ", "\t", "\u3000", "\u2028"])
def test_blanks_inside_of_a_sentence_are_looked_through_once(blank: str) -> None:
    content = f"We live {blank * MANY} in Rome."
    said = Utterance(role=Role.USER, content=content, said_at=NOW)
    assert [each.said for each in excerpts_of([(0, said)])] == []
    assert told_fact(content, {}, NOW, speakers_of("alice")) is None


def test_blanks_in_a_value_that_is_told_are_looked_through_once() -> None:
    assert parted(f"Postgres {' ' * MANY} 16 or so", "") == ("postgres 16 or so", "")


def test_a_user_whose_id_is_blank_is_not_looked_for_among_blanks() -> None:
    assert told_fact(" " * MANY, {}, NOW, {"user", " " * 100, ""}) is None


@pytest.mark.parametrize("blank", [" ", "\n", "\u3000"])
def test_blanks_in_a_name_are_looked_through_once(blank: str) -> None:
    assert normal_form(f"Anna{blank * MANY}Smith") == "anna smith"


def test_marks_in_a_row_are_looked_through_once() -> None:
    assert share_asking(f"Is it so{'?' * MANY}x") == 0.0
    assert share_asking("Is it so?? It is.") == 0.5


def linked(content: str, speaker: str) -> Callable[[], Links]:
    message = Spoken(key=MessageKey(1), content=content, said_at=NOW, speaker=speaker)
    return lambda: links_of([message], [])


def test_a_name_of_very_many_words_makes_no_message_dear() -> None:
    content = "I " * 2_000
    plain = calls(linked(content, "Anna"))
    assert calls(linked(content, "I " * 50)) <= 1.2 * plain


def test_a_name_of_several_words_is_known_by_all_of_them() -> None:
    named = linked("i saw anna maria de la cruz today", "Anna Maria de la Cruz")()
    assert [each.normal for each in named.mentions] == ["anna maria de la cruz"]


def test_a_long_quote_is_compared_with_no_shorter_clause() -> None:
    quote = "My sister Anna works at Bosch. " * 2_000
    assert subject_of_quote(quote, quote, "works_at", "Alice") is None


@pytest.mark.parametrize(
    "told",
    [
        {"subject": "Anna", "attribute": "job", "tense": ["past"]},
        {"subject": "Anna", "attribute": "job", "tense": {"x": 1}, "value": None},
        {"subject": "\ud800" * 70, "attribute": "\x00|" * 50, "value": " "},
        {"subject": "Anna", "attribute": "uses", "value": "\x1f"},
    ],
)
def test_what_callers_tell_of_a_fact_may_be_anything(told: Mapping[str, object]) -> None:
    fact = told_fact("Anna is a nurse", told, NOW, {"user"})
    assert fact is not None
    assert fact.value == str(told.get("value", "Anna is a nurse"))
    assert subject_of(fact) in {*groups_of(fact), subject_of(fact)}


@pytest.mark.parametrize("confidence", ["nan", "inf", 0, -1, 2, "much"])
def test_a_fact_of_no_confidence_is_none_of_ours(confidence: object) -> None:
    fact = told_fact("Anna is a nurse", {"subject": "Anna", "attribute": "job"}, NOW, {"user"})
    assert fact is not None
    kept = dict(kept_as(fact))
    assert kept_fact(fact.text, kept, NOW) is not None
    assert kept_fact(fact.text, kept | {"confidence": confidence}, NOW) is None


def test_what_a_fact_came_instead_of_may_be_blank() -> None:
    told = {"subject": "we", "attribute": "cache", "value": "Redis", "tense": "now"}
    fact = kept_fact(
        "x", told | {"positive": True, "single": True, "confidence": 1, "against": "\x1f "}, NOW
    )
    assert isinstance(fact, Fact)
    assert groups_of(fact)


LOGGED = "10:00:00 INFO a.b: (x) - started\n" * 6_000


@pytest.mark.parametrize(
    "query",
    [
        f"{LOGGED}What is wrong?",
        f"What is wrong: {LOGGED}",
        f"Ann: {'x ' * MANY}?",
        f"What is it{': ' * MANY}?",
        f"It is so{', ' * MANY}isn't it?",
        f"Is it{'? ' * MANY}so",
    ],
    ids=lambda query: repr(query[:20]),
)
def test_what_is_pasted_into_a_question_is_looked_through_once(query: str) -> None:
    wording = wording_of(query)
    assert wording.asks == is_question(query)


def test_letters_in_a_label_are_looked_through_once() -> None:
    assert indexed_terms("x" * MANY + " INC2131")[1:] == ["2131", "inc2131"]
