"""Titles keep two people of one name apart: "Mr Jones" and "Mrs Jones"."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.distil.entities.linking import Links, Spoken, links_of, names_of
from app.distil.entities.naming import names_asked
from app.distil.entities.register import KnownName, Named, fuller, parts_of
from app.domain.entities import EntityType
from app.domain.ids import MessageKey

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def spoken(at: int, content: str) -> Spoken:
    return Spoken(key=MessageKey(at), content=content, said_at=NOON)


def links(*contents: str) -> Links:
    return links_of([spoken(at, each) for at, each in enumerate(contents)], [])


def meant(*contents: str) -> list[str]:
    """By its fullest name each entity that is mentioned, in order."""
    return [each.entity.name for each in links(*contents).mentions]


@pytest.mark.parametrize(
    ("content", "one", "other"),
    [
        ("I met Mr Jones and Mrs Jones.", "Mr Jones", "Mrs Jones"),
        ("I met Mr. Jones and Ms. Jones.", "Mr Jones", "Ms Jones"),
        ("I met Mrs Jones and Miss Jones.", "Mrs Jones", "Miss Jones"),
        ("We asked Herr Weber and Frau Weber.", "Herr Weber", "Frau Weber"),
        ("I saw Monsieur Dupont and Madame Dupont.", "Monsieur Dupont", "Madame Dupont"),
        ("Se\u00f1or Lopez and Se\u00f1ora Lopez came.", "Se\u00f1or Lopez", "Se\u00f1ora Lopez"),
    ],
)
def test_who_has_another_title_is_somebody_else(content: str, one: str, other: str) -> None:
    assert meant(content) == [one, other]
    apart = content.split(" and ")
    assert meant(*apart) == [one, other]
    assert {each.type for each in links(content).register.entities()} == {EntityType.PERSON}


@pytest.mark.parametrize(
    "contents",
    [
        ("I met Mrs Jones.", "We saw Ms Jones."),
        ("I met Mr. Jones.", "Mr Jones called."),
        ("I met Mr Weber.", "Herr Weber called."),
        ("I met Dr Jones.", "We saw Mr Jones."),
        ("I met Mr Jones.", "We saw Jones again."),
        ("We saw Tom Jones.", "I met Mr Jones."),
        ("I met Mr Jones.", "We saw Tom Jones."),
        ("We saw Rohan Jones.", "I met Mr Jones."),
    ],
)
def test_who_may_be_the_same_is(contents: tuple[str, ...]) -> None:
    assert len(set(meant(*contents))) == 1


@pytest.mark.parametrize(
    "contents",
    [
        ("We saw Tom Jones.", "I met Mrs Jones."),
        ("I met Mrs Jones.", "We saw Tom Jones."),
        ("We saw Anna Jones.", "I met Mr Jones."),
        ("I met Mr Jones.", "We saw Anna Jones."),
        ("We saw Jones again.", "I met Mr Jones.", "I met Mrs Jones."),
    ],
)
def test_who_has_a_name_that_goes_with_another_title_is_somebody_else(
    contents: tuple[str, ...],
) -> None:
    assert len(set(meant(*contents))) == 2


def test_the_full_name_is_told_of_who_had_but_a_title() -> None:
    assert set(meant("I met Mr Jones.", "We saw Tom Jones.")) == {"Tom Jones"}
    assert fuller("tom jones", "mr jones")
    assert not fuller("mr jones", "jones")
    assert parts_of("mr jones", "Mr Jones") == [("jones", "Jones")]


def test_a_name_without_a_title_is_neither_of_two_and_a_title_either() -> None:
    mr, mrs = links("I met Mr Jones and Mrs Jones.").register.entities()
    assert (set(mr.names), set(mrs.names)) == ({"mr jones", "jones"}, {"mrs jones", "jones"})
    again = meant("I met Mr Jones and Mrs Jones.", "Mrs Jones called.", "I saw Mr Jones.")
    assert again == ["Mr Jones", "Mrs Jones", "Mrs Jones", "Mr Jones"]


def test_what_each_of_two_does_is_told_of_them() -> None:
    found = links("Mr Jones works at Acme Corp and Mrs Jones works at Initech Inc.")
    told = {(each.source.name, each.relation, each.target.name) for each in found.evidence}
    assert {("Mr Jones", "works at", "Acme"), ("Mrs Jones", "works at", "Initech")} <= told


@pytest.mark.parametrize("content", ["Meine Frau Anna kam, sagt Anna.", "I miss Anna, says Anna."])
def test_what_is_no_title_is_none(content: str) -> None:
    assert set(meant(content)) <= {"Anna"}


def test_a_question_names_who_has_a_title() -> None:
    assert {"mrs jones", "jones"} <= names_asked("What did Mrs. Jones want?")
    assert "mrs weber" in names_asked("Where is Frau Weber?")


_SAID = ["I met Mr Jones.", "I met Mrs Jones.", "We saw Miss Jones.", "We asked Tom Jones."]
_SAID += ["We asked Anna Jones.", "I saw Jones.", "I saw Mr Tom Jones and Mrs Jones."]


@given(st.lists(st.sampled_from(_SAID), max_size=6))
def test_messages_mean_the_same_one_by_one(contents: list[str]) -> None:
    known: dict[int, Named] = {}
    told: list[str] = []
    for at, content in enumerate(contents):
        message = spoken(at, content)
        wanted = names_of([message])
        found = links_of([message], list(_rows(known, wanted)))
        for named in found.register.entities():
            key = len(known) if named.key is None else named.key
            before = known[key].names if key in known else {}
            kept = Named(key=key, normal=named.normal, name=named.name, type=named.type)
            kept.names.update({**before, **named.names})
            known[key] = kept
            assert named.names.keys() <= wanted
        told += [each.entity.normal for each in found.mentions]
    together = links(*contents)
    assert len(told) == len(together.mentions)
    assert {each.normal for each in known.values()} == {
        each.normal for each in together.register.entities()
    }


def _rows(known: dict[int, Named], wanted: frozenset[str]) -> list[KnownName]:
    """The names that are looked up, as a store has them."""
    return [
        KnownName(
            key=0,
            normal=normal,
            name=name.name,
            said=name.said,
            entity=key,
            full=named.normal,
            full_name=named.name,
            type=named.type,
        )
        for key, named in known.items()
        for normal, name in named.names.items()
        if normal in wanted
    ]
