"""What is told of messages that people say to each other."""

import pytest

from app.domain.conversation import Role
from app.ranking.people import (
    AMONG_PEOPLE,
    among_people,
    between_people,
    is_of_person,
    share_asking,
)
from app.ranking.pool import Recalled
from tests.factories import an_item, recalled

ASKED = "Wow! What kind of music do you like?"
TOLD = "I play the clarinet since 1999. Anna taught me."

IN_PEOPLES_CHAT = (
    an_item(1, ASKED, role=Role.ASSISTANT, name="Jonas"),
    an_item(2, TOLD, role=Role.USER, name="Mara"),
)


def told(items: Recalled) -> dict[str, list[float]]:
    return {name: column.tolist() for name, column in among_people(items).items()}


def test_it_is_told_which_message_asks() -> None:
    assert told(recalled(*IN_PEOPLES_CHAT)) == {"among_people": [1, 1], "asks": [0.5, 0]}


@pytest.mark.parametrize("name", [None, "assistant", "AI"])
def test_where_an_assistant_takes_part_nothing_is_told(name: str | None) -> None:
    chat = recalled(
        an_item(1, ASKED, role=Role.USER, name="Mara"),
        an_item(2, TOLD, role=Role.ASSISTANT, name=name),
    )
    assert told(chat) == {"among_people": [0, 0], "asks": [0, 0]}


def test_only_the_conversation_counts_in_which_it_does() -> None:
    chats = recalled(
        *IN_PEOPLES_CHAT,
        an_item(3, ASKED, conversation=2, role=Role.USER, name="Mara"),
        an_item(4, TOLD, conversation=2, role=Role.ASSISTANT),
        an_item(5, TOLD, conversation=None, role=None),
    )
    assert between_people(chats).tolist() == [True, True, False, False, False]
    assert told(chats)["asks"] == [0.5, 0, 0, 0, 0]


def test_what_nobody_found_has_nothing_to_tell() -> None:
    assert told(recalled()) == {name: [] for name in AMONG_PEOPLE}


@pytest.mark.parametrize(
    ("name", "there"),
    [
        *[("Mara", True), ("Ai Weiwei", True), ("Agent Smith", True), (None, False)],
        *[("user", False), (" Assistant ", False), ("Customer", False), ("Support Agent", False)],
    ],
)
def test_who_is_called_what_their_role_is_has_no_name(name: str | None, there: bool) -> None:  # noqa: FBT001
    assert is_of_person(name) is there


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0),
        ("no end at all", 0),
        ("Where are you?", 1),
        ("Really?! Yes. OK...", 1 / 3),
        ("See example.com/?q=1 and v2.5.", 0),
        ("你喜欢音乐吗\uff1f我喜欢。", 0.5),
        ("who drives", 1),
        ("how much money is in bowls", 1),
        ("how nice of you", 0),
        ("When I was in Kyoto I bought a kimono", 0),
    ],
)
def test_a_sentence_asks_by_the_sign_at_its_end_or_by_its_words(text: str, share: float) -> None:
    assert share_asking(text) == pytest.approx(share)
