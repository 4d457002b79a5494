"""What of a sentence is taken as meant: beside a question, hearsay, an "if"."""

import pytest

from app.distil.facts.meaning import is_meant, meant_of
from app.distil.language.sentences import sentences_of


def meant_in(content: str) -> list[str]:
    (sentence,) = sentences_of(content)
    return [sentence.text[start:stop] for start, stop in meant_of(sentence) if stop > start]


@pytest.mark.parametrize(
    ("content", "meant"),
    [
        ("I live in Graz, can you find me a gym?", ["I live in Graz"]),
        ("I'm vegan, so what should I cook?", ["I'm vegan"]),
        ("We use Redis and I'm wondering if that scales", ["We use Redis"]),
        ("I have two sons - any tips for rainy days?", ["I have two sons"]),
        ("My boss says I should rest, and I live in Graz.", ["I live in Graz."]),
        ("I heard the tram is late, but I live near work.", ["I live near work."]),
        ("He said it rains so I work from Bern.", ["I work from Bern."]),
        ("I wish I lived in Rome, but I live in Oslo.", ["I live in Oslo."]),
        ("I live in Graz and I think it's lovely.", ["I live in Graz"]),
        ("As I said, I live in Graz.", ["I live in Graz."]),
        ("Like I told you, I'm vegan.", ["I'm vegan."]),
        ("As my wife said, I live in Graz.", ["I live in Graz."]),
        ("My doctor said, I have diabetes.", ["My doctor said, I have diabetes."]),
        ("She wrote to me and I live in Graz", ["She wrote to me and I live in Graz"]),
        ("We dropped Kafka because nobody wanted it.", ["We dropped Kafka"]),
        ("The client insists on Oracle; our budget is 40k.", ["our budget is 40k."]),
    ],
)
def test_what_stands_beside_doubt_is_meant(content: str, meant: list[str]) -> None:
    assert meant_in(content) == meant


@pytest.mark.parametrize(
    "content",
    [
        "Do I live in Graz, or did I move?",
        "What if I moved to Graz, would that help?",
        "If I moved to Graz, and I worked at Bosch, life would be good.",
        "If I moved to Graz but I worked from home, life would be good.",
        "Suppose we use Oracle, and we live in Rome.",
        "We use Redis, is that right?",
        "I live in Graz, don't I?",
        "I live in Graz, I think.",
        "I'm a bad cook, my wife says.",
        "We use Redis, but I'm not sure.",
        "My boss thinks I love Excel and I hate Word.",
        "Tom claims that I live in Rome, and I work at Bosch.",
        "I have two dogs, how many legs are that?",
        "In my novel I live in Rome, but I work at Bosch.",
        "In my favourite movie, I live in Rome.",
        "And, I quote, I live in Rome.",
        "Say I live in Graz, what would I pay?",
        "He said, I live in Berlin.",
        "He said, I live in Berlin, and I work at Bosch.",
        "She replied, I'm vegan.",
        "She answered that I live in Rome.",
        "My landlord told me, I'm moving to Spain.",
        "The ad said, we use Redis.",
    ],
)
def test_what_hangs_on_doubt_is_not_meant(content: str) -> None:
    assert meant_in(content) == []


def test_only_a_sentence_without_any_doubt_is_meant_as_a_whole() -> None:
    (plain,) = sentences_of("I live in Graz, and it rains.")
    (doubtful,) = sentences_of("I live in Graz, and he says it rains.")

    assert is_meant(plain)
    assert meant_of(plain) == [(0, len("I live in Graz, and it rains."))]
    assert not is_meant(doubtful)
