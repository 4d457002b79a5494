"""Whom or what a reply names where that was asked for."""

from collections.abc import Sequence

import pytest

from app.domain.entities import EntityType
from app.services.context.answering import answer_named, answered


@pytest.mark.parametrize(
    ("question", "reply", "names"),
    [
        ("Which city had the best pasta?", "Bologna, at Da Nello.", ["Bologna", "Da Nello"]),
        ("Where did I have the tofu lunch?", "In Kyoto.", ["Kyoto"]),
        ("Who limps?", "Alasdair Crane, he limps.", ["Alasdair Crane"]),
        ("Who limps?", "That is Tom. Ann does not.", ["Tom"]),
        ("Does Tom limp?", "Alasdair Crane, he limps.", []),
        ("Where is Kyoto?", "Kyoto is in Japan.", ["Japan"]),
        ("Who came?", "Ann came with Tom, Ben and Susan.", []),
        ("Which report was slow?", "The overview.", []),
        ("Who limps?", "", []),
    ],
)
def test_the_names_that_answer_are_told(question: str, reply: str, names: Sequence[str]) -> None:
    assert answered(question, reply) == names


@pytest.mark.parametrize(
    ("question", "reply", "kind"),
    [
        ("Who limps?", "Alasdair Crane, he limps.", EntityType.PERSON),
        ("Which character limps?", "Alasdair Crane, he limps.", EntityType.PERSON),
        ("Who limps?", "Crane.", EntityType.PERSON),
        ("Which car is it?", "Volvo, the old one.", EntityType.UNKNOWN),
    ],
)
def test_who_is_asked_for_is_a_person(question: str, reply: str, kind: EntityType) -> None:
    named = answer_named(question, reply)
    assert named is not None
    assert named.type is kind
    assert reply[named.start : named.stop] == named.name


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Who limps?", "Sure, he does."),
        ("Who limps?", "That is Tom."),
        ("Who limps?", "Maria, that is Tom."),
        ("Does he limp?", "Crane, he limps."),
    ],
)
def test_what_begins_otherwise_names_nobody_first(question: str, reply: str) -> None:
    assert answer_named(question, reply) is None
