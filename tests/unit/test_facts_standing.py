"""What somebody asks for once and for all, or does best, though nothing says "always"."""

import pytest

from app.distil.facts.portrait import entry_of
from tests.unit.test_facts_of_change import told, values


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("I write in the past tense.", ("prefers", "past tense")),
        ("I write fiction in British English.", ("prefers", "British English")),
        ("I understand things best with pictures.", ("prefers", "pictures")),
        ("I learn best by doing.", ("prefers", "doing")),
        (
            "Commit messages should be in the imperative.",
            ("rule", "Commit messages should be in the imperative"),
        ),
        ("Dates must be in ISO 8601.", ("rule", "Dates must be in ISO 8601")),
        ("Replies should be short.", ("rule", "Replies should be short")),
        (
            "Our commit messages should never mention tickets.",
            ("rule", "Our commit messages should never mention tickets"),
        ),
    ],
)
def test_a_standing_preference_is_a_fact(content: str, expected: tuple[str, str]) -> None:
    assert values(content) == [expected]


@pytest.mark.parametrize(
    "content",
    [
        "I write in the garden.",
        "I write in pencil.",
        "I remember it best with a smile.",
        "Their dates should be in UTC.",
        "The answers should be short.",
        "Tests should be green now.",
        "Answers should be in by Friday.",
        "Should commit messages be in the imperative?",
        "If commit messages should be in English, tell me.",
        "He says commit messages should be in English.",
        "Maybe commit messages should be in English.",
        "The messages should be here.",
    ],
)
def test_what_is_of_the_moment_is_no_preference(content: str) -> None:
    assert told(content) == []


def test_a_profile_tells_how_somebody_understands_best() -> None:
    (fact,) = told("I understand things best with pictures.")
    entry = entry_of(fact, {"alice"})
    assert entry is not None
    assert entry.value == "understands things best with pictures"
