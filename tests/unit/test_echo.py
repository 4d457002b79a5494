"""What comes back of a bundle is told from what somebody says."""

import json
import tracemalloc
from collections.abc import Collection, Sequence
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.domain.conversation import Role
from app.services.writing.echo_guard import _ASKED_AT_ONCE, _asking
from app.text import echo
from app.text.echo import echoes, fingerprints, may_echo, own_words, segments
from app.text.introduction import profiles_in
from app.text.render import Contents, render_markdown, render_messages
from tests.factories import a_message, an_item

DECISION = "We picked PostgreSQL, because of its full-text search."
CAT = "My cat is called Schnitzel."
LONG = (
    "The migration has to run before the release, said Bob. It takes an hour on the large tables.\n"
    "Nobody may write meanwhile; the old indexes are dropped at its end, not at its beginning."
)
QUESTION = "So which database did we pick in the end?"


def heard(text: str, *shown: str) -> str:
    """What is left of `text` as somebody's own words, when these were shown."""
    return own_words(text, stretches(text, *shown))


def stretches(text: str, *shown: str) -> Sequence[tuple[int, int]]:
    known = frozenset[int]().union(*map(fingerprints, shown))
    return echoes(text, segments(text), known)


def a_rendered_bundle() -> str:
    items = [an_item(1, DECISION, label="API design"), an_item(2, CAT), an_item(3, LONG)]
    return render_markdown(Contents(items=items, history=[a_message(4, "ok", role=Role.ASSISTANT)]))


def test_of_a_rendered_bundle_and_a_question_the_question_is_left() -> None:
    prompt = f"{a_rendered_bundle()}\n\n{QUESTION}"
    assert heard(prompt, DECISION, CAT, LONG, "ok") == QUESTION
    assert heard(f"{QUESTION}\n\n{a_rendered_bundle()}", DECISION, CAT, LONG, "ok") == QUESTION


def test_a_rendered_bundle_alone_says_nothing() -> None:
    assert heard(a_rendered_bundle(), DECISION, CAT, LONG, "ok") == ""


def test_messages_that_hold_a_bundle_are_heard_as_the_markdown_is() -> None:
    (memory, asked) = render_messages(Contents(items=[an_item(1, DECISION)]), QUESTION)
    assert heard(str(memory["content"]), DECISION) == ""
    assert heard(str(asked["content"]), DECISION) == QUESTION


@pytest.mark.parametrize(
    "prompt",
    [
        f"Memories:\n- {CAT}\n- {LONG}\n\n{QUESTION}",
        f"<memory>\n{LONG}\n</memory>\n{QUESTION}",
        json.dumps({"memories": [{"content": LONG}, {"content": CAT}]}) + f"\n{QUESTION}",
        f"{QUESTION}\n\n{LONG}",
        LONG.replace("\n", " ") + "\n" + QUESTION,
    ],
)
def test_what_a_caller_lays_out_in_his_own_way_is_recognised(prompt: str) -> None:
    left = heard(prompt, DECISION, CAT, LONG)
    assert QUESTION in left
    assert "migration" not in left
    assert "indexes" not in left


def test_a_quoted_line_is_an_echo_and_the_answer_to_it_is_not() -> None:
    assert heard(f"> {CAT}\nNo, it is called Hugo.", CAT) == "No, it is called Hugo."
    assert heard("> It takes an hour on the large tables.\nTwo.", LONG) == "Two."


def test_what_somebody_else_said_may_be_quoted() -> None:
    text = f"> {CAT}\nNo, it is called Hugo."
    assert heard(text, LONG) == text
    mostly_new = f"> {CAT} That is what the vet wrote down when we were there in May.\nWrong."
    assert heard(mostly_new, CAT) == mostly_new


@pytest.mark.parametrize("text", [CAT, DECISION, f"{CAT} {DECISION}", f"Well. {CAT}"])
def test_who_repeats_a_sentence_says_it(text: str) -> None:
    assert heard(text, CAT, DECISION, LONG) == text


def test_nothing_shown_nothing_echoed() -> None:
    assert stretches(f"> {CAT}\n\n{LONG}") == []
    assert stretches("") == []


def test_what_is_short_and_quotes_nothing_needs_no_look() -> None:
    assert not may_echo(segments(DECISION), DECISION)
    assert may_echo(segments(f"> {CAT}"), f"> {CAT}")
    assert may_echo(segments(LONG), LONG)


TEXT = st.lists(
    st.sampled_from([CAT, DECISION, LONG, QUESTION, "> ", "> " + CAT, "\n", " ", "# x", "a:", ">"])
    | st.text(max_size=30)
).map("".join)


@given(TEXT, st.lists(st.sampled_from([CAT, DECISION, LONG]) | st.text(max_size=60), max_size=4))
@example("> a\n>", ["a"])
@example("\u2028> " + CAT, [CAT])
def test_echoes_are_in_order_inside_the_text_and_apart(text: str, shown: list[str]) -> None:
    found = stretches(text, *shown)
    flat = [place for stretch in found for place in stretch]
    assert flat == sorted(flat)
    assert all(0 <= start < stop <= len(text) for start, stop in found)
    left = own_words(text, found)
    assert all(word in text for word in left.split())


@given(TEXT)
def test_a_text_that_was_shown_and_is_long_comes_back_as_nothing(text: str) -> None:
    whole = f"{LONG}\n{text}"
    assert heard(whole, whole) == ""


@given(TEXT)
def test_how_it_is_laid_out_changes_no_fingerprint(text: str) -> None:
    flat = text.replace('"', " ").replace("\\", " ")
    quoted = "\n".join(f"> {line}" for line in flat.split("\n"))
    assert fingerprints(flat) == fingerprints(quoted)


def test_case_changes_no_fingerprint() -> None:
    assert fingerprints(LONG) == fingerprints(LONG.upper())


def found_at_leisure(text: str, known: Collection[int]) -> Sequence[tuple[int, int]]:
    """What `echoes` says, by lists of all segments."""
    found, quotes = list(segments(text)), list(echo._quotes(text))
    matched = [each for each in found if each.fingerprint in known]
    said, shown = echo._sizes(found, quotes), echo._sizes(matched, quotes)
    echoed = [quote for quote, size in shown.items() if 2 * size >= said[quote]]
    plain = [each for each in matched if echo._around(each, echoed) is None]
    told = sum(each.size for each in plain if each.size >= echo._TELLING)
    copies = echo._copies(found, known) if told >= echo._COPIED else []
    profiles = [echo._with_heading(text, each) for each in profiles_in(text)]
    quoted = [echo._with_heading(text, each) for each in echoed]
    return echo._joined(text, [*quoted, *copies, *profiles])


@given(TEXT, st.lists(st.sampled_from([CAT, DECISION, LONG, "x"]) | st.text(max_size=60)))
@example(f"{LONG} Ok. {LONG} Something else is said. Ok. {CAT} > {DECISION}", [LONG, CAT, "Ok."])
def test_segments_one_by_one_tell_what_all_of_them_do(text: str, shown: list[str]) -> None:
    known = frozenset[int]().union(*map(fingerprints, shown))
    assert echoes(text, segments(text), known) == found_at_leisure(text, known)


def test_a_long_text_is_looked_through_without_holding_its_segments() -> None:
    text = " ".join(f"We go on at {at:x} too." for at in range(20_000))
    known = fingerprints("We go on at ff too.")
    tracemalloc.start()
    try:
        assert may_echo(segments(text), text)
        assert not echoes(text, segments(text), known)
        assert tracemalloc.get_traced_memory()[1] < 2 * len(text)
    finally:
        tracemalloc.stop()


@given(st.lists(TEXT, max_size=3))
def test_what_is_asked_for_is_all_fingerprints(texts: list[str]) -> None:
    assert set(chain.from_iterable(_asking(texts))) == set().union(*map(fingerprints, texts))


def test_what_is_asked_for_comes_in_portions_and_once() -> None:
    said = [f"{at}." for at in range(_ASKED_AT_ONCE)]
    few, one = _asking([" ".join([*said, *said[:5]])])
    assert (len(few), len(one)) == (_ASKED_AT_ONCE, 5)
    (only,) = _asking(["Yes. No. " * _ASKED_AT_ONCE])
    assert len(only) == 2
