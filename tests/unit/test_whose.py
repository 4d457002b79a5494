"""Whom what a language model found is about: who says it, or somebody else."""

import pytest

from app.distil.facts.whose import Subject, subject_of_quote


@pytest.mark.parametrize(
    ("told", "quote", "subject"),
    [
        ("speaker", "since May I'm in Lyon", Subject("User")),
        ("I", "my job is nursing", Subject("User")),
        ("user", "a red bicycle of mine", Subject("User")),
        ("speaker", "Ich wohne in Lyon", Subject("User")),
        ("speaker", "Green tea is what I drink", Subject("User")),
        ("we", "The retention shall be 14 days", Subject("we")),
        ("speaker", "We picked Kafka", Subject("we")),
        ("my brother", "My brother ended up in Rome", Subject("User's brother", single=False)),
        ("Eva", "My wife Eva can't eat nuts", Subject("User's wife")),
        ("Tom", "Tom is into jazz", Subject("Tom")),
        ("Bob", "I met Bob, and Bob is into jazz", Subject("Bob")),
    ],
)
def test_it_is_told_of_whom_the_quote_speaks(told: str, quote: str, subject: Subject) -> None:
    assert subject_of_quote(told, quote, "likes", "User") == subject


@pytest.mark.parametrize(
    ("told", "quote"),
    [
        ("speaker", "My brother ended up in Rome"),
        ("speaker", "Tom is into jazz"),
        ("Anna", "a red bicycle of mine"),
        ("the bicycle", "the bicycle is red"),
        ("", "a red bicycle of mine"),
    ],
)
def test_where_it_is_not_clear_nothing_is_told(told: str, quote: str) -> None:
    assert subject_of_quote(told, quote, "likes", "User") is None


def test_where_we_live_each_of_us_does() -> None:
    assert subject_of_quote("we", "We ended up in Lyon", "lives_in", "User") == Subject("User")
