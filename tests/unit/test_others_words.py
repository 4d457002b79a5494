"""What somebody passes on, plays or wants worked on is not what they say of themself."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.finding import mentions_of
from app.distil.entities.relations import relations_of
from app.distil.facts.drawing import facts_of
from app.distil.facts.others_words import end_of_own_words, is_told_on
from app.distil.language.utterance import Utterance
from app.domain.conversation import Role
from tests.distil.labelled import SAID_AT


def told_in(content: str, name: str | None = None) -> list[str]:
    said = Utterance(role=Role.USER, content=content, said_at=SAID_AT, name=name)
    return [f"{each.attribute} {each.value}" for each in facts_of(said)]


@pytest.mark.parametrize(
    "content",
    [
        "Translate to French: I have two brothers and I work as a nurse.",
        "Can you please proofread this: I live in Rome.\nI work at Acme.",
        "Please correct my letter: My name is Ida. We use Oracle.",
        "Fix the grammar: I lives in Rome and I works at Acme.",
        "Can you make this sound better: I work at Acme and I have a dog.",
        "Reply to this: I live in Rome. My name is Ida.",
        "Hi! Rewrite this so that it sounds nice: I hate Mondays and I love jazz.",
    ],
)
def test_a_text_to_be_worked_on_states_nothing(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("That's correct: I live in Rome.", "lives_in Rome"),
        ("I live in Rome. Translate to French: I work at Acme.", "lives_in Rome"),
        ("I translate for a living, and one thing is sure: I love jazz.", "likes jazz"),
    ],
)
def test_what_is_said_beside_it_is_stated(content: str, told: str) -> None:
    assert told_in(content) == [told]


@pytest.mark.parametrize(
    "content",
    [
        "Here's what Anna wrote to me:\n\nI moved to Lisbon. I work at Acme now.",
        "Email from my boss:\n\nHi team,\nWe decided on PostgreSQL. Never use tabs.\nRegards",
        "From: Anna\nSubject: hello\nI live in Lisbon now.",
        "What do I say?\n\n---------- Forwarded message\nI live in Lisbon now.",
        "On Mon, 3 Mar 2025 at 10:12, Anna <anna@example.org> wrote:\nI live in Rome.",
        "my sister just texted:\ni moved to lisbon",
    ],
)
def test_what_was_sent_on_states_nothing_of_who_sends_it_on(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    "content",
    [
        "He wrote: I moved to Lisbon. I work at Acme.",
        "The customer writes: I live in Lisbon and my order is late.",
        "Her bio: I'm a doctor from Paris. I live in London.",
        "The song goes: I live in Paris.",
        "Anna: I work at Acme. Bob: I live in Rome.",
        "Here it is:\n[10:12] Jörg: I live in Rome\n[10:13] Bob: I work at Acme",
        "12/05/2025, 10:12 - Jörg Müller: I live in Rome.",
        "Jörg [10:12]: I live in Rome.",
        "Customer: I live in Lisbon\nAgent: Thank you!",
    ],
)
def test_a_line_that_tells_who_said_it_states_nothing_of_its_sender(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    "content",
    [
        "Pretend I'm Batman. I live in Gotham.",
        "You are Bob, let's roleplay. I live in Gotham.",
    ],
)
def test_what_is_played_is_not_so(content: str) -> None:
    assert not told_in(content)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("He wrote: I moved to Lisbon.\nI live in Rome.", "lives_in Rome"),
        ("I live in Rome. Anna wrote to me:\nI moved to Lisbon.", "lives_in Rome"),
        ("As I wrote: I live in Rome.", "lives_in Rome"),
        ("Here is my draft:\nI live in Rome.", "lives_in Rome"),
        ("A short text about me:\nI live in Rome.", "lives_in Rome"),
        ("Regarding your comment:\n\nI live in Rome.", "lives_in Rome"),
        ("Summary of our conversation:\n- We decided on PostgreSQL.", "database PostgreSQL"),
        ("2025-05-01 Decision: we decided on PostgreSQL.", "database PostgreSQL"),
        ("Update: I moved to Rome.", "lives_in Rome"),
        ("Imagine that! I live in Rome now.", "lives_in Rome"),
    ],
)
def test_own_words_beside_or_behind_a_colon_are_stated(content: str, told: str) -> None:
    assert told_in(content) == [told]


def test_who_labels_their_own_lines_says_them() -> None:
    line = "[10:12] Tom: I live in Rome."
    assert told_in(line, "Tom Baker") == ["lives_in Rome"]
    assert not told_in(line, "Anna")


@pytest.mark.parametrize(
    ("content", "own"),
    [
        ("I work on Apollo.", True),
        ("She texted me: I work on Apollo.", False),
        ("Here's what my boss wrote:\nI work on Apollo.", False),
    ],
)
def test_the_graph_takes_nobody_for_who_they_quote(content: str, *, own: bool) -> None:
    found = relations_of(content, mentions_of(content), "Tom")
    assert any(each.source == "tom" for each in found) is own


_PIECES = st.sampled_from(
    ["I live in Rome", "wrote", "email", "Anna", ":", "\n", " ", "10:12", "[", "]"]
)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_own_words_end_inside_the_message_and_not_before_a_line_of_ones_own(text: str) -> None:
    line = "I live in Rome.\n"
    assert 0 <= end_of_own_words(text) <= len(text)
    assert end_of_own_words(line + text) >= len(line)
    starts = [0, *(at + 1 for at, each in enumerate(text) if each == "\n")]
    assert not any(is_told_on(text, start, None) for start in starts)
