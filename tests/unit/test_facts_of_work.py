"""Whom one works for, as it is told by a first or a last day, in English and in German."""

from datetime import UTC, datetime, timedelta

import pytest

from app.distil.facts.drawing import facts_of
from app.distil.facts.fact import Bearing, Fact, Tense, bearing
from app.distil.facts.filing import subject_of
from app.distil.facts.retelling import as_it_holds
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role

NOW = datetime(2025, 3, 12, 12, tzinfo=UTC)  # a Wednesday


def told(content: str, *, day: int = 0, role: Role = Role.USER) -> list[Fact]:
    at = NOW + timedelta(days=day)
    return list(facts_of(Utterance(role=role, content=content, said_at=at)))


def employers(*contents: str) -> list[str]:
    """Whom somebody works for who said one thing after the other."""
    known: list[Fact] = []
    for day, content in enumerate(contents):
        for fact in told(content, day=day):
            beside = [each for each in known if bearing(fact, each) is Bearing.STANDS_BESIDE]
            known = [*beside, fact]
    now = [each for each in known if each.positive and each.tense is Tense.NOW]
    return [each.value for each in now if each.attribute == "works_at"]


@pytest.mark.parametrize(
    ("content", "employer"),
    [
        ("Today was my first day at Bosch.", "Bosch"),
        ("Today is my first day at bosch!", "bosch"),
        ("Today's my very first day at Bosch", "Bosch"),
        ("Yesterday was my first day at Fleetwise, and it went well.", "Fleetwise"),
        ("Monday was my first day at Northwind Labs.", "Northwind Labs"),
        ("My first day at Bosch was yesterday.", "Bosch"),
        ("First day at Bosch today!", "Bosch"),
        ("I had my first day at Bosch today.", "Bosch"),
        ("I just finished my first day at Bosch.", "Bosch"),
        ("I just started at Siemens.", "Siemens"),
        ("I've just started at Fleetwise!", "Fleetwise"),
        ("I recently started at Fleetwise", "Fleetwise"),
        ("Just started at Siemens!", "Siemens"),
        ("I started at Fleetwise last week.", "Fleetwise"),
        ("I've just joined Siemens", "Siemens"),
        ("I got the job at Bosch!", "Bosch"),
        ("Heute war mein erster Tag bei Bosch.", "Bosch"),
        ("Heute ist mein erster Arbeitstag bei Fleetwise!", "Fleetwise"),
        ("Mein erster Tag bei Bosch war gestern.", "Bosch"),
        ("Ich habe bei Siemens angefangen.", "Siemens"),
        ("Ich habe gerade bei der Firma Fleetwise angefangen.", "Fleetwise"),
        ("Letzte Woche habe ich bei Siemens angefangen, endlich.", "Siemens"),
        ("Ich habe bei Siemens Anfang Mai angefangen", "Siemens"),
        ("Ich hab den Job bei Bosch bekommen!", "Bosch"),
        ("Ich arbeite bei Bosch.", "Bosch"),
        ("Ich arbeite seit Mai bei Siemens als Ingenieur.", "Siemens"),
        ("Ich arbeite f\u00fcr Siemens.", "Siemens"),
        ("Seit gestern arbeite ich bei Siemens.", "Siemens"),
        ("Ich hatte heute meinen ersten Tag bei Bosch.", "Bosch"),
    ],
)
def test_who_began_somewhere_works_there_and_nowhere_else(content: str, employer: str) -> None:
    assert employers("I work at Initech.", content) == [employer]
    (fact,) = told(content)
    assert subject_of(fact) == subject_of(told("I work at Initech.")[0])
    assert as_it_holds(fact).text.startswith(f"User works at {employer}")


@pytest.mark.parametrize(
    "content",
    [
        "My last day at Bosch was Friday.",
        "My last day at Bosch was on Friday, finally.",
        "My last day at Bosch is today",
        "Yesterday was my last day at Bosch.",
        "Today's my final day at Bosch",
        "Last day at Bosch today.",
        "I finished my last day at Bosch",
        "Mein letzter Tag bei Bosch war am Freitag.",
        "Heute war mein letzter Arbeitstag bei Bosch.",
        "Ich habe bei Bosch gek\u00fcndigt.",
        "Gestern hatte ich meinen letzten Arbeitstag bei Bosch.",
        "Ich habe letzte Woche bei Bosch aufgeh\u00f6rt, weil es langweilig war.",
        "Ich arbeite nicht mehr bei Bosch.",
    ],
)
def test_who_had_a_last_day_somewhere_works_there_no_more(content: str) -> None:
    assert employers("I work at Bosch.", content) == []
    assert employers("I work at Bosch.", "I joined Siemens.", content) == ["Siemens"]


def test_a_first_and_a_last_day_hold_from_then_on() -> None:
    (begun,) = told("Yesterday was my first day at Bosch.")
    assert begun.begins == datetime(2025, 3, 11, tzinfo=UTC)
    (over,) = told("My last day at Bosch was on Friday.")
    assert over.valid_to == datetime(2025, 3, 8, tzinfo=UTC)


@pytest.mark.parametrize(
    "content",
    [
        "My first day at Bosch is Monday.",
        "It's my first day at Bosch tomorrow.",
        "My last day at Bosch is Friday.",
        "My last day at Bosch will be Friday.",
        "My last day at Bosch was supposed to be Friday.",
        "Today was my daughter's first day at Bosch.",
        "Today was my first day at school",
        "Today was my first day at Harvard.",
        "Today was my first day at PyCon.",
        "Today was my first day at CES.",
        "Today was my first day at Grandma's.",
        "Today was not my first day at Bosch.",
        "Was today my first day at Bosch?",
        "If today was my first day at Bosch, I would be nervous.",
        "If I started at Bosch I'd move.",
        "I might start at Bosch.",
        "Maybe I just started at Siemens.",
        "Maybe today was my first day at Bosch",
        "She said today was my first day at Bosch.",
        "My first day at Bosch was terrible.",
        "It was my first day at Bosch when I met Anna.",
        "I remember my first day at Bosch.",
        "I just started at the bottom.",
        "I started at Level 3.",
        "I started at Fleetwise.",
        "I never started at Siemens.",
        "I haven't started at Siemens yet",
        "He just started at Siemens.",
        "I got the job at Bosch but declined it.",
        "Habe ich bei Siemens angefangen?",
        "Wenn ich bei Bosch angefangen habe, ziehe ich um.",
        "Vielleicht fange ich bei Bosch an.",
        "Ich habe vielleicht bei Bosch angefangen.",
        "Ich h\u00e4tte bei Bosch angefangen.",
        "Ich habe nicht bei Bosch angefangen.",
        "Ich habe mich bei Bosch beworben.",
        "Meine Frau hat bei Siemens angefangen.",
        "Mein Bruder sagt, ich habe bei Siemens angefangen.",
        "Montag ist mein erster Tag bei Bosch",
        "Heute war nicht mein erster Tag bei Bosch.",
        "Heute war mein erster Tag bei Oma.",
        "Ich arbeite bei Regen lieber zu Hause.",
        "Ich arbeite bei Nacht.",
        "Ich arbeite f\u00fcr Geld.",
        "Ab Montag arbeite ich bei Siemens.",
        "Ich habe bei Bosch angefangen und bin dann gewechselt.",
        "Ich habe bei Kapitel 3 angefangen.",
    ],
)
def test_what_is_no_job_of_theirs_by_now_is_none(content: str) -> None:
    assert not [each for each in told(content) if each.attribute == "works_at"]


def test_a_program_has_no_first_day() -> None:
    assert not told("Today was my first day at Bosch.", role=Role.ASSISTANT)
