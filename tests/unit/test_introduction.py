"""A profile that a bundle told is known wherever it comes back, by its form and by its words."""

import json
from time import thread_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.profile import Profile
from app.text.echo import echoes, fingerprints, may_echo, own_words, segments
from app.text.introduction import profiles_in
from app.text.profile import profile_json, render_profile
from app.text.render import Contents, render_markdown, render_messages
from tests.factories import NOON, a_message

QUESTION = "Which tea should I buy?"
NOTES = 'Drinks tea.\n> She said "hi" {once\\n\n# About the user'
PROFILE = Profile(
    preferences={"tea": "sencha", "cups": 3, "times": ["noon", {"hour": 5}]},
    context={"dömain": "Tee\u2028trade"},
    notes=NOTES,
    updated_at=NOON,
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda values: st.lists(values, max_size=3) | st.dictionaries(st.text(), values, max_size=3),
    max_leaves=6,
)
ENTRIES = st.dictionaries(st.text(min_size=1, max_size=9), VALUES, max_size=3)
PROFILES = st.builds(
    Profile,
    preferences=ENTRIES,
    context=ENTRIES,
    notes=st.text(max_size=60),
    updated_at=st.just(NOON),
)


def heard(text: str, *shown: str) -> str:
    known = frozenset[int]().union(*map(fingerprints, shown))
    return own_words(text, echoes(text, segments(text), known))


def bundle_json(profile: Profile, text: str | None = None, *, indent: int | None = None) -> str:
    """An answer as an agent may put it into a prompt."""
    told = {"intent": "recall", "user_profile": json.loads(profile_json(profile)), "text": text}
    return json.dumps(told, indent=indent)


@given(PROFILES)
def test_a_rendered_profile_is_known_without_knowing_its_words(profile: Profile) -> None:
    markdown = render_markdown(Contents(about=render_profile(profile)))
    for text in (f"{markdown}\n\n{QUESTION}", f"{QUESTION}\n\n{markdown}"):
        assert heard(text) == QUESTION
        assert may_echo(segments(text), text)


@given(PROFILES, st.sampled_from([None, 2]))
def test_a_profile_in_json_is_known_without_knowing_its_words(
    profile: Profile, indent: int | None
) -> None:
    text = f"Here it is: {bundle_json(profile, indent=indent)}\n{QUESTION}"
    (found,) = profiles_in(text)
    told = json.loads(text[slice(*found)])
    assert told == json.loads(profile_json(profile))
    assert heard(text).endswith(QUESTION)


def test_other_memory_beside_a_profile_is_what_it_was() -> None:
    history = [a_message(4, "I run a shop.")]
    (memory, *_) = render_messages(Contents(about=render_profile(PROFILE), history=history), None)
    assert heard(str(memory["content"])) == ""
    text = render_markdown(Contents(about=render_profile(PROFILE), history=history))
    assert "shop" in heard(text)
    assert "sencha" not in heard(text)
    assert heard(text, "I run a shop.") == ""


def test_a_profile_inside_a_text_inside_json_is_known() -> None:
    markdown = render_markdown(Contents(about=render_profile(PROFILE)))
    text = f"{bundle_json(PROFILE, markdown + chr(10) * 2 + QUESTION)} {QUESTION}"
    left = heard(text)
    assert not any(each in left for each in ("sencha", "trade", "Drinks", "She said"))
    assert left.count(QUESTION) == 2
    windows = heard(json.dumps(markdown.replace("\n", "\r\n")))
    assert "sencha" not in windows


def test_its_words_are_known_in_a_quote_under_another_heading() -> None:
    text = f"From memory:\n> tea: sencha\n> Drinks tea.\n\n{QUESTION}"
    assert heard(text) == text
    assert heard(text, render_profile(PROFILE)) == QUESTION


@pytest.mark.parametrize(
    "text",
    [
        "# About the user\nShe likes tea.\n> Really?",
        "# About the user\n\n> quoted",
        'My settings: {"preferences": {"theme": "dark"}, "notes": "none"}',
        '{"preferences": 1, "context": 2, "notes": 3, "tasks": 4}',
        'The "preferences", "context" and "notes" of {the answer}: what are they?',
        "",
    ],
)
def test_what_only_looks_like_one_is_said(text: str) -> None:
    assert list(profiles_in(text)) == []
    assert heard(text) == text


@given(st.text(alphabet='{}":\\n> \npreferences', max_size=60))
def test_what_is_found_lies_in_the_text(text: str) -> None:
    for hostile in (text, f'"preferences": {text}', render_profile(PROFILE) + text):
        assert all(0 <= start < stop <= len(hostile) for start, stop in profiles_in(hostile))


@pytest.mark.parametrize("part", ["{", '{"preferences":', '\\"', '"notes":{', "\\", " ", "}{"])
def test_hostile_texts_take_no_longer_than_long_ones(part: str) -> None:
    text = '"preferences"' + part * (400_000 // len(part))
    began = thread_time()
    assert list(profiles_in(text)) == []
    assert thread_time() - began < 5
