"""Which entity a name means."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.linking import Links, Spoken, links_of, names_of
from app.distil.entities.naming import names_asked, names_in
from app.distil.entities.register import KnownName, Register, looked_up
from app.domain.entities import EntityType
from app.domain.ids import MessageKey

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PERSON, UNKNOWN, PRODUCT = EntityType.PERSON, EntityType.UNKNOWN, EntityType.PRODUCT


def known(
    key: int,
    normal: str,
    full: str,
    kind: EntityType = PERSON,
    *,
    said: bool = True,
    entity: int = 1,
) -> KnownName:
    return KnownName(
        key=key,
        normal=normal,
        name=normal.title(),
        said=said,
        entity=entity,
        full=full,
        full_name=full.title(),
        type=kind,
    )


BOB = [known(1, "bob smith", "bob smith"), known(2, "smith", "bob smith", said=False)]
ZOE = [known(3, "zoe smith", "zoe smith", entity=2), known(4, "smith", "zoe smith", entity=2)]


def links(*contents: str, speaker: str | None = None, of: list[KnownName] | None = None) -> Links:
    spoken = [
        Spoken(key=MessageKey(at), content=each, said_at=NOON, speaker=speaker)
        for at, each in enumerate(contents)
    ]
    return links_of(spoken, of or [])


def meant(found: Links) -> list[tuple[str, EntityType]]:
    return [(each.entity.name, each.entity.type) for each in found.mentions]


def test_a_known_entity_is_found_by_its_names_and_their_parts() -> None:
    register = Register(BOB)
    for name in ("bob smith", "smith"):
        found = register.find(name, PERSON)
        assert found is not None
        assert found.key == 1
    assert register.find("jones", PERSON) is None
    assert register.find("smith", PRODUCT) is None
    assert Register([*BOB, *ZOE]).find("smith", PERSON) is None


def test_what_a_message_makes_known_the_next_is_read_with() -> None:
    found = links("My sister Mara moved to Leeds.", "mara called", "MARA!")
    assert meant(found).count(("Mara", PERSON)) == 3


def test_a_type_that_is_learned_holds_for_what_was_said_before() -> None:
    found = links("We saw Mara.", "I asked Mara.")
    assert meant(found) == [("Mara", PERSON)] * 2


@pytest.mark.parametrize(
    "content", ["mark my words", "i hope so", "we go home", "express yourself"]
)
def test_a_word_in_lower_case_is_no_name(content: str) -> None:
    names = [
        known(1, "mark", "mark", entity=1),
        known(2, "hope", "hope", entity=2),
        known(3, "go", "go", PRODUCT, entity=3),
        known(4, "express", "express", PRODUCT, entity=4),
    ]
    assert meant(links(content, of=names)) == []


def test_what_is_of_no_known_type_is_a_name_with_its_capital_only() -> None:
    names = [known(1, "harvest", "harvest", UNKNOWN)]
    assert meant(links("a rich harvest", of=names)) == []
    assert meant(links("we love Harvest", of=names)) == [("Harvest", UNKNOWN)]


def test_a_title_and_a_version_are_no_part_of_a_name() -> None:
    found = links("We met Dr. Hannah Moss.", "We run Postgres 16.")
    assert meant(found) == [("Hannah Moss", PERSON), ("Postgres", PRODUCT)]


def test_a_name_that_is_too_long_is_not_kept() -> None:
    found = links(f"See https://example.org/{'x' * 300} and app/main.py")
    assert [each.entity.name for each in found.mentions] == ["app/main.py"]


def test_evidence_names_its_message_and_whoever_speaks() -> None:
    found = links("I work on Apollo.", speaker="Tim")
    (evidence,) = found.evidence
    assert (evidence.source.name, evidence.relation, evidence.target.name) == (
        "Tim",
        "works on",
        "Apollo",
    )
    assert [(each.entity.name, each.start) for each in found.mentions] == [
        ("Apollo", 10),
        ("Tim", -1),
    ]


def test_nothing_is_related_to_itself() -> None:
    assert links("I asked Bob Smith, and Bob.").evidence == []


@given(
    st.lists(
        st.lists(
            st.sampled_from(
                ["I asked", "Bob", "Smith", "Bob Smith", "works on", "Apollo", ".", "We met", "Ann"]
            ),
            max_size=8,
        ).map(" ".join),
        max_size=6,
    )
)
def test_every_mention_has_its_name_and_every_end_a_mention(contents: list[str]) -> None:
    found = links(*contents)
    entities = found.register.entities()
    for mention in found.mentions:
        assert any(mention.entity is each for each in entities)
        assert mention.entity.names[mention.normal].said
        assert mention.entity.normal in mention.entity.names
    told = {(id(each.entity), each.message) for each in found.mentions}
    for each in found.evidence:
        assert each.source is not each.target
        assert {(id(each.source), each.message), (id(each.target), each.message)} <= told
        assert 0 < each.weight <= 1
    assert {id(each) for each in entities} == {id(each.entity) for each in found.mentions}


@given(st.text(max_size=80) | st.sampled_from(["Bob Smith's x_y in a/b.py, https://A.b/c/."]))
def test_all_names_that_linking_may_meet_are_looked_up_before(content: str) -> None:
    spoken = [Spoken(key=MessageKey(1), content=content, said_at=NOON, speaker="Zoë Berg")]
    wanted = names_of(spoken)
    register = links_of(spoken, []).register
    for each in register.entities():
        assert each.names.keys() <= wanted


def test_a_query_names_what_stands_in_it() -> None:
    assert {"bob smith", "bob", "smith", "apollo"} <= names_asked(
        "Does bob smith's team know Apollo?"
    )
    assert "postgresql" in names_asked("is postgres fast")
    assert "app/main.py" in names_asked("what is in app/main.py")
    assert names_in("who is it") == frozenset()
    assert names_in("") == frozenset()


def test_parts_of_names_are_looked_up_too() -> None:
    assert looked_up(["bob smith", "x" * 300]) == {"bob smith", "bob", "smith"}
