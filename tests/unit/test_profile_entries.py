"""What facts add to a profile, beside what was written, and within a budget."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from app.adapters.tokenizer import BpeTokenCounter
from app.distil.facts.drawing import facts_of
from app.distil.facts.portrait import entry_of
from app.distil.language.utterance import Utterance
from app.domain.context import Format
from app.domain.conversation import Role
from app.domain.ids import ItemId
from app.domain.profile import MOST_ENTRIES, DerivedEntry, Entry, Profile, Section
from app.services.packing.introducing import Introducer
from app.text.profile import profile_json

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
WRITTEN = Profile(preferences={"likes": "tea"}, context={"Lives in": "Porto"}, updated_at=NOON)
NOTHING = Profile(updated_at=NOON)


def derived(name: str, value: str, fact: int, *, single: bool = False) -> DerivedEntry:
    section = Section.PREFERENCES if name in ("likes", "rule") else Section.CONTEXT
    entry = Entry(section=section, name=name, value=value, single=single)
    at = NOON + timedelta(seconds=fact)
    return DerivedEntry(entry=entry, fact=ItemId(UUID(int=fact)), derived_at=at)


def test_what_was_written_hides_what_is_derived_in_any_spelling_and_section() -> None:
    told = [derived("likes", "cake", 1), derived("lives_in", "Rome", 2, single=True)]
    assert WRITTEN.with_derived(told) == WRITTEN
    more = WRITTEN.with_derived([*told, derived("speaks", "Greek", 3)])
    assert more.told(Section.CONTEXT) == {"Lives in": "Porto", "speaks": ["Greek"]}
    assert more.sources(Section.CONTEXT) == {"speaks": [ItemId(UUID(int=3))]}
    assert more.updated_at == NOON + timedelta(seconds=3)


def test_of_what_is_single_the_newest_is_told_and_nothing_twice() -> None:
    newest_first = [
        derived("lives_in", "Rome", 5, single=True),
        derived("speaks", "GREEK", 4),
        derived("lives_in", "Porto", 3, single=True),
        derived("speaks", "Greek", 2),
        derived("speaks", "Danish", 1),
    ]
    told = NOTHING.with_derived(newest_first)
    assert told.told(Section.CONTEXT) == {"lives_in": "Rome", "speaks": ["Danish", "GREEK"]}
    assert [each.int for each in told.facts] == [5, 1, 4]


def test_what_is_private_is_not_told_though_it_was_derived_before() -> None:
    several = [derived("credit card number", "4111 1111 1111 1111", 1), derived("has", "a dog", 2)]
    assert NOTHING.with_derived(several).told(Section.CONTEXT) == {"has": ["a dog"]}


def test_health_is_not_told_unless_somebody_writes_it() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    for content in ("I'm allergic to penicillin.", "I have diabetes."):
        said = Utterance(role=Role.USER, content=content, said_at=now)
        assert [entry_of(fact, {"user"}) for fact in facts_of(said)] == [None]
    before = [derived("allergic_to", "penicillin", 1), derived("has", "a dog", 2)]
    assert NOTHING.with_derived(before).told(Section.CONTEXT) == {"has": ["a dog"]}
    written = Profile(context={"allergic_to": "penicillin"}, updated_at=NOON)
    assert written.with_derived(before).context == {"allergic_to": "penicillin"}


@given(st.permutations(range(MOST_ENTRIES + 20)))
def test_a_profile_has_an_end_and_the_newest_have_room(order: list[int]) -> None:
    several = [derived("likes", f"thing {number}", number) for number in order]
    told = NOTHING.with_derived(several)
    assert {each.int for each in told.facts} == set(order[:MOST_ENTRIES])
    assert told.told(Section.PREFERENCES) == NOTHING.with_derived(several).told(Section.PREFERENCES)


@given(st.integers(1, 200))
def test_what_was_written_comes_first_within_a_budget(room: int) -> None:
    counter = BpeTokenCounter()
    profile = WRITTEN.with_derived([derived("speaks", f"tongue {at}", at) for at in range(30)])
    shown = Introducer(counter).introduce(profile, room, Format.JSON)
    if shown is None:
        return
    assert shown.tokens == counter.count(profile_json(shown.profile)) <= room
    assert set(shown.profile.facts) <= set(profile.facts)
    if shown.profile.derived:
        assert (shown.profile.preferences, shown.profile.context) == (
            WRITTEN.preferences,
            WRITTEN.context,
        )
