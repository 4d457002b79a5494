from collections.abc import Sequence
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.context import MemoryItem
from app.domain.conversation import Role
from app.domain.ids import MessageKey
from app.domain.memory import ItemType
from app.ranking import Floats
from app.ranking.bm25 import Bags, idf, pack_terms
from app.ranking.features import (
    CLAMP,
    MEANING,
    NAMES,
    OWN,
    SAYS_ENOUGH,
    Evidence,
    evidence,
    standardised,
)
from app.ranking.neighbours import Neighbours, places, standing
from app.ranking.pool import Pool, pack_vector
from app.ranking.query import QueryView
from app.ranking.voices import tells_time
from app.text.terms import terms_of
from app.text.wording import Wording, phrases_of, wording_of
from tests.factories import an_item, recalled

EAST, NORTH = np.array([1, 0], np.float32), np.array([0, 1], np.float32)


def asking(*terms: str, wording: Wording | None = None, vector: Floats | None = EAST) -> QueryView:
    weights = idf(10, [1] * len(terms))
    return QueryView(
        vector=vector,
        terms=terms,
        idf=weights,
        idf_mass=float(weights.sum()),
        average_length=3.0,
        wording=wording or Wording(),
    )


def beside(*lines: tuple[int, str, Floats | None], conversation: int = 1) -> Neighbours:
    """Neighbours by position, with what they say and their vector."""
    return Neighbours(
        keys=[MessageKey(position) for position, _, _ in lines],
        conversations=[conversation] * len(lines),
        positions=[position for position, _, _ in lines],
        vectors=[None if each is None else pack_vector(each) for _, _, each in lines],
        bags=[pack_terms(terms_of(text)) for _, text, _ in lines],
    )


def looked_at(
    query: QueryView,
    items: Sequence[MemoryItem],
    vectors: dict[int, Floats] | None = None,
    neighbours: Neighbours | None = None,
) -> dict[str, list[float]]:
    """Every feature by name; positions are the numbers of the rows."""
    pool = Pool.of(recalled(*items, vectors=vectors), dimension=2, neighbours=neighbours)
    found = evidence(query, pool)
    return {name: found.features[:, at].tolist() for at, name in enumerate(NAMES)}


def test_every_feature_is_told_and_has_a_column() -> None:
    found = looked_at(asking("tea"), [an_item(1, "tea"), an_item(2, "milk")], {0: EAST, 1: NORTH})
    assert list(found) == list(MEANING)
    assert all(MEANING.values())


def test_what_stands_out_is_above_what_does_not() -> None:
    found = looked_at(asking("tea"), [an_item(1, "tea"), an_item(2, "milk")], {0: NORTH, 1: EAST})
    assert found["bm25"][0] > 0 > found["bm25"][1]
    assert found["cosine"][1] > 0 > found["cosine"][0]
    assert found["cosine_rank"] == pytest.approx([10 / 11, 1])
    assert found["both_ranks"] == pytest.approx([10 / 11, 10 / 11])


def test_what_is_not_embedded_counts_as_the_mean() -> None:
    items = [an_item(1, "tea"), an_item(2, "milk"), an_item(3, "cup")]
    found = looked_at(asking("tea"), items, {0: EAST, 1: NORTH})
    assert found["cosine"][2] == pytest.approx(0, abs=1e-6)


def test_neighbours_tell_about_the_message_between_them() -> None:
    items = [an_item(10, "yes"), an_item(50, "no")]
    near = beside((9, "tea or milk", EAST), (12, "tea", EAST))
    found = looked_at(asking("tea"), items, {0: NORTH, 1: NORTH}, near)

    for name in ("before_cosine", "before_bm25", "beside_matched", "window_before"):
        assert found[name][0] > 0 > found[name][1], name
    for name in ("after_bm25", "after_cosine", "window_after"):
        assert found[name] == [0, 0], name


def test_neighbours_in_the_pool_count_as_well() -> None:
    items = [an_item(1, "tea"), an_item(2, "yes"), an_item(9, "no")]
    found = looked_at(asking("tea"), items, dict.fromkeys(range(3), NORTH))
    assert found["before_bm25"][1] > 0
    assert found["before_bm25"][0] == found["before_bm25"][2] < 0


def test_neighbours_of_another_conversation_say_nothing() -> None:
    far = beside((9, "tea", EAST), conversation=2)
    found = looked_at(asking("tea"), [an_item(10, "yes"), an_item(20, "no")], neighbours=far)
    assert found["before_bm25"] == [0, 0]


def test_what_else_a_conversation_holds_counts_for_its_messages() -> None:
    items = [
        an_item(1, "yes"),
        an_item(10, "tea"),
        an_item(20, "tea"),
        an_item(30, "no", conversation=2),
    ]
    found = looked_at(asking("tea", "cup"), items, dict.fromkeys(range(4), NORTH))
    assert found["others"][0] > found["others"][1] == found["others"][2] > found["others"][3]
    assert found["others_matched"][0] > 0 > found["others_matched"][1]


def test_what_matches_close_by_counts_more_than_what_does_far_away() -> None:
    items = [
        an_item(1, "tea"),
        an_item(3, "yes"),
        an_item(40, "well"),
        an_item(2, "no", conversation=2),
    ]
    found = looked_at(asking("tea"), items, dict.fromkeys(range(4), NORTH))
    for name in ("close_by", "close_by_wide"):
        near, far, elsewhere = found[name][1:]
        assert near > far >= elsewhere, name
        assert found[name][0] == elsewhere, "nothing but itself matches"
    assert found["close_by_wide"][2] > found["close_by_wide"][3]


def test_words_that_stand_together_as_in_the_query_count() -> None:
    items = [an_item(1, "I make Green Tea."), an_item(2, "tea, green"), an_item(3, "make the tea")]
    found = looked_at(asking("green", "tea", wording=wording_of("make green tea")), items)
    assert found["phrases"][0] > 0 > found["phrases"][1] == found["phrases"][2]
    assert found["telling_phrases"][0] > 0 > found["telling_phrases"][1]


def test_a_pair_of_stop_words_is_no_phrase_and_one_of_them_tells_little() -> None:
    assert [tuple(each) for each in phrases_of("Who is at the Blue Door?")] == [
        ("the blue", False),
        ("blue door", True),
    ]


@pytest.mark.parametrize("query", ["", "tea", "\U0001f375", "who is it", "\u304a\u8336"])
def test_what_has_no_pair_of_words_has_no_phrase(query: str) -> None:
    assert phrases_of(query) == ()


def test_a_long_query_asks_for_some_of_its_phrases() -> None:
    said = [each.words for each in phrases_of(" ".join(f"w{at}" for at in range(5_000)))]
    assert said[:2] == ["w0 w1", "w1 w2"]
    assert len(said) < 100


def test_names_are_known_for_what_they_are() -> None:
    items = [an_item(1, "tea", name="Ann"), an_item(2, "Ann, tea", name="Bob")]
    found = looked_at(asking("ann", "tea"), items)
    assert found["speaker_named"] == [1, 0]
    assert found["other_named"] == [0, 1]
    assert found["query_names"] == [1, 1]
    assert found["matched_no_names"] == [0, 0]
    assert found["matched"][1] > 0


def test_who_asks_is_told_from_the_assistant() -> None:
    items = [an_item(1, "tea"), an_item(2, "tea", role=Role.ASSISTANT)]
    own = looked_at(asking("tea", wording=wording_of("Which tea did I pick?")), items)
    theirs = looked_at(asking("tea", wording=wording_of("Which tea did you advise?")), items)
    assert (own["said_by_asker"], own["said_to_assistant"]) == ([1, -1], [0, 0])
    assert (theirs["said_by_asker"], theirs["said_to_assistant"]) == ([0, 0], [1, -1])


def test_a_time_counts_where_one_is_asked_for() -> None:
    items = [an_item(1, "tea on Sunday"), an_item(2, "tea")]
    when = looked_at(asking("tea", wording=wording_of("When was the tea?")), items)
    what = looked_at(asking("tea", wording=wording_of("What was the tea?")), items)
    assert when["time_told"] == [1, 0]
    assert what["time_told"] == [0, 0]


def test_times_and_numbers_are_seen() -> None:
    told = ["on 3 May", "in 2024", "yesterday", "the 2nd time", "next week", "09:30", "2024-05-03"]
    bags = Bags.unpack([pack_terms(terms_of(text)) for text in told])
    assert tells_time(bags).tolist() == [True] * len(told)


def test_no_time_is_made_up() -> None:
    untold = ["a cup of tea", "version v2b", "31337", ""]
    bags = Bags.unpack([pack_terms(terms_of(text)) for text in untold])
    assert tells_time(bags).tolist() == [False] * len(untold)


def test_what_a_piece_begins_with_counts() -> None:
    items = [an_item(1, "tea " + "and milk " * 40), an_item(2, "milk " * 80 + "tea")]
    found = looked_at(asking("tea"), items)
    assert found["matched"] == [0, 0]
    assert found["opening_matched"] == pytest.approx([1, -1], abs=1e-3)


def test_a_piece_is_told_from_its_message() -> None:
    whole = recalled(an_item(1, "tea"), an_item(2, "milk"), vectors={0: EAST, 1: NORTH})
    wholes = [pack_vector(NORTH), pack_vector(EAST)]
    parts = replace(
        whole,
        kinds=["prose", "prose"],
        whole_bags=[pack_terms(["milk"]), pack_terms(["tea"])],
        whole_vectors=wholes,
        context_vectors=wholes,
    )
    found = evidence(asking("tea"), Pool.of(parts, dimension=2))
    by_name = dict(zip(NAMES, found.features.T.tolist(), strict=True))
    assert by_name["piece_cosine"][0] > 0 > by_name["cosine"][0]
    assert by_name["piece_bm25"][0] > 0 > by_name["bm25"][0]
    assert found.cosine.tolist() == pytest.approx([OWN, 1])


def test_a_brief_message_is_compared_in_context_and_counts_by_itself() -> None:
    alone = recalled(an_item(1, "the one"), an_item(2, "milk"), vectors={0: NORTH, 1: NORTH})
    led = replace(alone, context_vectors=[pack_vector(EAST), pack_vector(NORTH)])
    for found, cosine in ((alone, 0.0), (led, 1.0)):
        seen = evidence(asking("tea"), Pool.of(found, dimension=2))
        by_name = dict(zip(NAMES, seen.features.T.tolist(), strict=True))
        assert by_name["cosine"] == pytest.approx([cosine, -cosine], abs=1e-3)
        assert seen.cosine.tolist() == [0, 0]


def test_a_column_that_does_not_vary_decides_nothing() -> None:
    level = np.array([[7, 1], [7, 3]], np.float32)
    assert standardised(level)[:, 0].tolist() == [0, 0]
    assert standardised(level)[:, 1] == pytest.approx([-1, 1], abs=1e-3)


@given(st.lists(st.floats(-1e6, 1e6, width=32), min_size=1))
def test_standardised_columns_are_finite_and_clamped(column: list[float]) -> None:
    found = standardised(np.array(column, np.float32)[:, None])
    assert np.isfinite(found).all()
    assert (np.abs(found) <= CLAMP).all()


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 9)), unique=True, min_size=1))
def test_places_find_what_stands_there(spots: list[tuple[int, int]]) -> None:
    here = places([conversation for conversation, _ in spots], [at for _, at in spots])
    for offset, index in standing(here, here).items():
        assert abs(offset) == 1
        for (conversation, at), found in zip(spots, index.tolist(), strict=True):
            expected = (conversation, at + offset)
            assert found == (spots.index(expected) if expected in spots else len(spots))


WORDS = st.lists(st.sampled_from(["tea", "milk", "cup", "ann"]), max_size=4).map(" ".join)
ANGLES = st.none() | st.integers(0, 51).map(lambda k: np.radians(k * 7.0))


@st.composite
def pools(draw: st.DrawFn) -> tuple[list[MemoryItem], dict[int, Floats]]:
    rows = draw(st.lists(st.integers(1, 12), unique=True, min_size=1, max_size=8))
    items = [
        an_item(
            row,
            draw(WORDS),
            conversation=draw(st.integers(1, 2)),
            name=draw(st.sampled_from([None, "Ann", "Bob"])),
        )
        for row in rows
    ]
    angles = {at: draw(ANGLES) for at in range(len(items))}
    vectors = {
        at: np.array([np.cos(angle), np.sin(angle)], np.float32)
        for at, angle in angles.items()
        if angle is not None
    }
    return items, vectors


@given(
    pools(),
    st.lists(st.sampled_from(["tea", "cup", "ann"]), unique=True),
    st.sampled_from([EAST, None]),
)
def test_features_are_finite_whatever_is_missing(
    pool: tuple[list[MemoryItem], dict[int, Floats]], terms: list[str], vector: Floats | None
) -> None:
    items, vectors = pool
    query = asking(*terms, vector=vector, wording=wording_of(" ".join(terms)))
    found = evidence(query, Pool.of(recalled(*items, vectors=vectors), dimension=2))
    assert found.features.shape == (len(items), len(NAMES))
    assert np.isfinite(found.features).all()
    for part in (found.cosine, found.lexical, found.matched):
        assert ((part >= 0) & (part <= 1.000001)).all()


@given(pools(), st.randoms(use_true_random=False))
def test_the_order_of_the_pool_does_not_matter(
    pool: tuple[list[MemoryItem], dict[int, Floats]], random: Random
) -> None:
    items, vectors = pool
    mixed = list(range(len(items)))
    random.shuffle(mixed)
    shuffled = {to: vectors[at] for to, at in enumerate(mixed) if at in vectors}

    def found(order: Sequence[int], by_place: dict[int, Floats]) -> Evidence:
        told = recalled(*[items[at] for at in order], vectors=by_place)
        return evidence(asking("tea", "ann"), Pool.of(told, dimension=2))

    straight, other = found(range(len(items)), vectors), found(mixed, shuffled)
    alike = [at for at, name in enumerate(NAMES) if name != "like_best"]  # ties among the best
    np.testing.assert_allclose(
        other.features[:, alike], straight.features[mixed][:, alike], atol=1e-3
    )


def test_how_much_a_piece_says_counts_up_to_what_says_enough() -> None:
    contents = ["tea", "tea " * (SAYS_ENOUGH // 2), "tea " * (3 * SAYS_ENOUGH)]
    items = [replace(an_item(at, said), tokens=at * 12) for at, said in enumerate(contents, 1)]
    found = looked_at(asking("tea"), items)
    assert found["length"] == pytest.approx([0.5, 1, 1])


def test_what_retells_says_enough_however_brief_it_is() -> None:
    items = [replace(an_item(1, "tea"), tokens=3, type=ItemType.FACT), an_item(2, "milk")]
    assert looked_at(asking("tea"), items)["length"][0] == 1
