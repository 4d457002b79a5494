"""Since when something holds is told in its clause, or right around it."""

from datetime import UTC, datetime

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

SAID_AT = datetime(2025, 3, 12, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("content", "began"),
    [
        ("I moved to Porto on 3 March.", datetime(2025, 3, 3, tzinfo=UTC)),
        ("On 3 March, I moved to Porto.", datetime(2025, 3, 3, tzinfo=UTC)),
        ("I moved to Porto, on 3 March, with two bags.", datetime(2025, 3, 3, tzinfo=UTC)),
        ("I live in Porto since I quit on 3 March.", datetime(2025, 3, 3, tzinfo=UTC)),
        ("I moved to Porto, my cat came on 3 March.", SAID_AT),
        ("I moved to Porto, can you plan what I read on 3 March?", SAID_AT),
        ("My aunt called on 3 March, but I live in Porto.", SAID_AT),
        ("We decided to rest for a week starting 3 March.", SAID_AT),
        ("Correction: I moved to Porto in 2019.", SAID_AT),
        ("Sorry, I was wrong, I moved to Porto in 2019.", SAID_AT),
    ],
)
def test_a_time_is_of_the_clause_it_stands_in(content: str, began: datetime) -> None:
    found = facts_of(Utterance(role=Role.USER, content=content, said_at=SAID_AT))

    assert [each.begins for each in found] == [began]


def test_of_two_that_share_a_subject_each_has_its_own_time() -> None:
    said = "I moved to Porto on 3 March and work as a nurse."

    moved, works = facts_of(Utterance(role=Role.USER, content=said, said_at=SAID_AT))

    assert moved.begins == datetime(2025, 3, 3, tzinfo=UTC)
    assert works.begins == SAID_AT


@pytest.mark.parametrize(
    ("content", "tenses"),
    [
        ("I moved to Porto in May and left again.", ["past"]),
        ("I moved to Porto, but came back to Rome in May.", ["past"]),
        ("I moved to Porto in May, moved back to Rome in August.", ["past", "now"]),
        ("I joined Siemens in June and quit in July.", ["past"]),
        ("I moved to Porto, but left my bike in Rome.", ["now"]),
        ("I moved to Porto and left Google.", ["now", "past"]),
        ("I live in Porto, moved back in August.", ["now"]),
        ("I work at Google and moved to Porto, then returned.", ["now", "past"]),
    ],
)
def test_what_ended_by_the_end_of_its_sentence_is_over(content: str, tenses: list[str]) -> None:
    found = facts_of(Utterance(role=Role.USER, content=content, said_at=SAID_AT))

    assert [each.tense for each in found] == tenses
