"""Who says who they are without a capital, and who only says how they are."""

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Fact
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import (
    CALENDAR,
    EXCLAMATIONS,
    KIND_OF_TOOL,
    LANGUAGES,
    NO_NAMES,
    OCCUPATIONS,
    PEOPLES,
)
from app.distil.language.surnames import SURNAMES
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from tests.distil.labelled import SAID_AT


def said_by(name: str | None, content: str, role: Role = Role.USER) -> list[Fact]:
    return list(facts_of(Utterance(role=role, content=content, said_at=SAID_AT, name=name)))


def names_in(content: str, role: Role = Role.USER) -> list[Fact]:
    return [each for each in said_by(None, content, role) if each.attribute == "name"]


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("hi im tom", "Tom", "im tom"),
        ("Hi Im Tom.", "Tom", "Im Tom"),
        ("hi i am tom", "Tom", "i am tom"),
        ("hey, it's anna", "Anna", "it's anna"),
        ("hey its anna again", "Anna", "its anna"),
        ("good morning, this is marta.", "Marta", "this is marta"),
        ("i'm jo and i live in porto", "Jo", "i'm jo"),
        ("I\u2019m Jo, nice to meet you!", "Jo", "I\u2019m Jo"),
        ("hey there im priya from accounting", "Priya", "im priya"),
        ("hi claude, im björn", "Björn", "im björn"),
        ("Hi! I'm Tom, can you help me?", "Tom", "I'm Tom"),
        ("Hi I'm Teodor", "Teodor", "I'm Teodor"),
        ("hi im ben thanks for yesterday", "Ben", "im ben"),
        ("my name's bob", "Bob", "my name's bob"),
        ("Well, my name's Bob.", "Bob", "my name's Bob."),
        ("hi my names dave and ur app crashed again", "Dave", "my names dave"),
        ("my names dave baker", "Dave Baker", "my names dave baker"),
    ],
)
def test_who_says_their_name_has_it(content: str, name: str, words: str) -> None:
    (fact,) = names_in(content)
    assert (fact.subject, fact.value) == ("User", name)
    assert content[fact.start : fact.stop] == words


@pytest.mark.parametrize(
    ("content", "name", "words"),
    [
        ("hi im tom baker", "Tom Baker", "im tom baker"),
        ("Hi Im Tom Baker.", "Tom Baker", "Im Tom Baker"),
        ("i'm tom baker, nice to meet you", "Tom Baker", "i'm tom baker"),
        ("hey, it's anna miller from billing", "Anna Miller", "it's anna miller"),
        ("hello! this is maria  lopez", "Maria Lopez", "this is maria  lopez"),
        ("hi im anna van dijk and i need help", "Anna van Dijk", "im anna van dijk"),
        ("hi im joão da silva", "João da Silva", "im joão da silva"),
        ("hi im ian o'brien again", "Ian O'Brien", "im ian o'brien"),
        ("hi im ana garcia-lopez", "Ana Garcia-Lopez", "im ana garcia-lopez"),
        ("hi im fiona mcdonald", "Fiona McDonald", "im fiona mcdonald"),
        ("hi im agnieszka lewicka-zborowska", "", ""),
        ("hi im marta zborowska", "Marta Zborowska", "im marta zborowska"),
        ("my name is tom baker", "Tom Baker", "my name is tom baker"),
        ("my name's tom baker and i live in bath", "Tom Baker", "my name's tom baker"),
        ("my name is anna van dijk.", "Anna van Dijk", "my name is anna van dijk."),
        ("my name is ian o'brien", "Ian O'Brien", "my name is ian o'brien"),
        ("im called tom white", "Tom White", "im called tom white"),
    ],
)
def test_a_family_name_goes_with_a_given_name(content: str, name: str, words: str) -> None:
    found = names_in(content)
    assert [each.value for each in found] == [name] * bool(name)
    assert [content[each.start : each.stop] for each in found] == [words] * bool(name)


@pytest.mark.parametrize(
    "behind",
    [
        *("and", "lol", "good morning", "good", "tired", "student", "nurse", "cook", "dad", "may"),
        *("how are you", "looking for help", "baker street", "baker's brother", "smith fan"),
        *("hanks", "long time no see", "sales", "admin", "porto", "brown bear", "king of spain"),
        *("white hat hacker", "van driver", "de facto lead", "baker?", "needs help"),
        *("young", "german", "monday", "who is jones", "miller time", "park ranger", "wood carver"),
    ],
)
def test_what_else_stands_behind_a_given_name_is_no_family_name(behind: str) -> None:
    for begun in ("hi im tom", "hi i'm tom", "i'm tom", "hey it's tom"):
        assert not names_in(f"{begun} {behind}")
    assert {each.value for each in names_in(f"my name's tom {behind}")} <= {"Tom"}


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("hi im tom from porto", "Tom"),
        ("hi im tom i need help", "Tom"),
        ("hi im tom, baker", "Tom"),
        ("hi im tom. baker street is closed", "Tom"),
        ("hi im tom and i work with miller", "Tom"),
        ("my name is tom, jones is my dog", "Tom"),
        ("my name is tom and jones is my dog", "Tom"),
        ("i'm tom thanks", "Tom"),
    ],
)
def test_what_goes_on_behind_a_name_is_no_part_of_it(content: str, name: str) -> None:
    assert [each.value for each in names_in(content)] == [name]


@pytest.mark.parametrize(
    "content",
    ["hi im happy baker", "hi im tom baker and sons", "hi im the baker", "my dog is tom baker"],
)
def test_a_family_name_alone_and_a_firm_s_are_none(content: str) -> None:
    assert not names_in(content)


@pytest.mark.parametrize("greeting", ["", "hi ", "hi, ", "hey there ", "hello! "])
@pytest.mark.parametrize(
    "said",
    [
        *("tired", "sorry", "done", "at work", "good", "new here", "vegan", "christian", "rich"),
        *("frank about it", "max level", "a nurse", "in love", "stuck", "looking for tom", "bored"),
        *("back from lisbon", "not tom", "tom's sister", "toms sister", "tom hanks fan", "german"),
        *("tom?", "tom and jerry's biggest fan", "nobody", "late, tom", "may", "jan"),
    ],
)
def test_how_somebody_is_gives_no_name(greeting: str, said: str) -> None:
    for begun in ("im", "i'm", "i am"):
        assert not names_in(f"{greeting}{begun} {said}")


@pytest.mark.parametrize(
    "content",
    [
        "it's anna",
        "im tom",
        "i am tom",
        "hey it's urgent",
        "hello this is great",
        "hey, it's anna's birthday",
        "hey, it's anna, she broke the build",
        "hey, it's anna. she called",
        "hey it's anna and bob",
        "hello, this is tom, my dog",
        "tell anna hi im tom",
        "> hi im tom",
        "```\nhi im tom\n```",
        "hi im tom, just kidding",
        "my name's not important",
        "my name's day is today",
        "my names are on the list",
        "my names tom and anna are short",
        "my names wrong",
    ],
)
def test_of_others_and_of_nobody_no_name_is_taken(content: str) -> None:
    assert not names_in(content)


@pytest.mark.parametrize("name", ["Alice", "alice"])
@pytest.mark.parametrize(
    "content",
    [
        *("Hi! I'm Alice.", "i'm alice", "hi im alice", "hey, it's alice", "My name is Alice."),
        *("my name is alice", "my name's alice", "I'm called Alice.", "Alice is called Alice."),
    ],
)
def test_who_says_the_name_that_is_known_says_nothing_new(name: str, content: str) -> None:
    assert not said_by(name, content)


@pytest.mark.parametrize("speaker", [None, "Bea", "al17", "Alice Moreau"])
def test_a_name_that_is_not_how_somebody_is_called_is_one(speaker: str | None) -> None:
    for content in ("Hi! I'm Alice.", "My name is Alice."):
        (fact,) = said_by(speaker, content)
        assert (fact.subject, fact.attribute, fact.value) == (speaker or "User", "name", "Alice")


@pytest.mark.parametrize(
    ("content", "attribute", "value", "text"),
    [
        ("My name is Alice Moreau.", "name", "Alice Moreau", "Alice's name is Alice Moreau"),
        ("I'm not called Alice.", "name", "Alice", "Alice is not called Alice"),
        ("Call me Alice.", "called", "Alice", "Alice: Call me Alice"),
        ("My cat is called Alice.", "name", "Alice", "Alice's cat is called Alice"),
        ("Hi! I'm Alice, a nurse.", "job", "nurse", "Alice is a nurse"),
        ("Hi! I'm Alice from Porto.", "from", "Porto", "Alice is from Porto"),
    ],
)
def test_what_else_is_said_with_a_name_is_kept(
    content: str, attribute: str, value: str, text: str
) -> None:
    (fact,) = said_by("Alice", content)
    assert (fact.attribute, fact.value, fact.text) == (attribute, value, text)


def test_what_an_assistant_says_of_itself_is_no_name() -> None:
    assert not names_in("hi im tom", Role.ASSISTANT)


def test_no_given_name_is_a_word_for_what_somebody_is() -> None:
    said_of_oneself = NO_NAMES | CALENDAR | PEOPLES | OCCUPATIONS | LANGUAGES | EXCLAMATIONS
    assert not GIVEN_NAMES & (said_of_oneself | KIND_OF_TOOL.keys())
    assert {each.casefold() for each in GIVEN_NAMES} == GIVEN_NAMES


def test_no_family_name_is_a_word_that_goes_on_behind_a_given_one() -> None:
    going_on = NO_NAMES | CALENDAR | PEOPLES | LANGUAGES | EXCLAMATIONS | KIND_OF_TOOL.keys()
    assert not SURNAMES & going_on
    assert not (SURNAMES - {"baker"}) & OCCUPATIONS
    assert {each.casefold() for each in SURNAMES} == SURNAMES


@pytest.mark.parametrize(
    "content",
    [
        "Hi! I'm Stuck.",
        "Hey, I'm Back!",
        "Hi, I'm Looking for help.",
        "Hi, I'm Confused about this.",
        "Hello, I'm New here.",
        "Hello, I'm Team Lead at SAP.",
        "My wife is Pregnant.",
    ],
)
def test_a_capital_makes_no_name_of_how_somebody_is(content: str) -> None:
    assert not names_in(content)


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Hi, I'm Sterling.", "Sterling"),
        ("Hi, I'm Ahmed.", "Ahmed"),
        ("Hi, I'm Fred!", "Fred"),
        ("My wife is Ingrid.", "Ingrid"),
    ],
)
def test_a_name_may_end_as_what_is_done_does(content: str, name: str) -> None:
    assert [each.value for each in names_in(content)] == [name]
