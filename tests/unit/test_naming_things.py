"""Which words without a capital name a thing, and which only describe one."""

import pytest

from app.distil.entities.entity import Gazetteer
from app.distil.entities.finding import mentions_of
from app.domain.entities import EntityType

FROST_WREN = Gazetteer(types={"frost-wren": EntityType.UNKNOWN})


def named(content: str, known: Gazetteer = FROST_WREN) -> list[str]:
    return [each.normal for each in mentions_of(content, known)]


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Our build server is called frost-wren.", "frost-wren"),
        ("our build server is now called frost-wren", "frost-wren"),
        ("The new queue is named moss-vale, it is empty.", "moss-vale"),
        ("We moved to a cluster nicknamed blue-heron-2 in May.", "blue-heron-2"),
        ("The project, codenamed night-owl, is late.", "night-owl"),
        ("Did you know that the host is called frost-wren?", "frost-wren"),
    ],
)
def test_what_a_thing_is_called_is_its_name(content: str, name: str) -> None:
    (mention,) = mentions_of(content)
    assert (mention.normal, mention.type) == (name, EntityType.UNKNOWN)
    assert content[mention.start : mention.stop] == name


def test_what_is_called_so_is_known_from_then_on() -> None:
    assert named("frost-wren is down, and frost-wren was slow") == ["frost-wren"] * 2
    assert not named("frost-wren is down", Gazetteer())


@pytest.mark.parametrize(
    "content",
    [
        "It is a so-called well-known problem.",
        "They called long-term plans useless.",
        "The pattern is called fan-out.",
        "This is called copy-on-write.",
        "The service is called twenty-one times a day.",
        "The project was called long-term.",
        "The server was called cloud-based.",
        "The service was named best-effort delivery by them.",
        "The host called back-to-back meetings.",
        "The branch called clean-up.",
        "The library is called self-hosted.",
        "He was called up-front.",
        "The service is called on-call.",
        "```\nthe server is called frost-wren\n```",
        "> the server is called frost-wren",
    ],
)
def test_what_only_describes_is_no_name(content: str) -> None:
    assert not named(content, Gazetteer())
