"""Cutting exports into records, whatever the chunks they come in."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.found import Rejected
from app.formats.pieces import Piece, elements, lines

MOST = 10_000
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inside: st.lists(inside) | st.dictionaries(st.text(), inside),
    max_leaves=10,
)


def chunks(raw: bytes, size: int) -> Iterator[bytes]:
    return (raw[at : at + size] for at in range(0, len(raw), size))


@given(
    st.lists(JSON), st.integers(1, 50), st.sampled_from([None, 1]), st.sampled_from(["ascii", ""])
)
def test_the_elements_of_a_list_are_its_records(
    records: list[object], size: int, indent: int | None, spelled: str
) -> None:
    text = json.dumps(records, indent=indent, ensure_ascii=spelled == "ascii")
    raw = text.encode(errors="replace")
    found = list(elements(chunks(raw, size), most=MOST))
    told = [json.loads(each.raw) for each in found if isinstance(each, Piece)]
    assert told == json.loads(raw)
    assert [each.at for each in found] == [f"[{at}]" for at in range(len(records))]


@given(st.binary(), st.integers(1, 20), st.integers(0, 30))
def test_anything_at_all_is_cut_without_a_mistake(raw: bytes, size: int, most: int) -> None:
    for cut in (elements, lines):
        for each in cut(chunks(raw, size), most=most):
            assert isinstance(each, Rejected) or len(each.raw) <= most


def test_one_that_is_too_large_or_damaged_costs_no_other() -> None:
    raw = b'[{"a":1}, {"b" 2}, {"c":"' + b"x" * 200 + b'"}, {"d":[1}, {"e":5},'
    found = list(elements(chunks(raw, 7), most=100))
    assert [each.raw if isinstance(each, Piece) else each.at for each in found] == [
        b'{"a":1}',
        b'{"b" 2}',
        "[2]",
        b'{"d":[1}',
        b'{"e":5}',
        "[5]",
    ]


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r \t\ufeff"))))
def test_lines_are_counted_and_empty_ones_left_out(several: list[str]) -> None:
    raw = "\r\n".join(several).encode()
    found = [
        (each.at, each.raw.decode())
        for each in lines(chunks(raw, 5), most=MOST)
        if isinstance(each, Piece)
    ]
    assert [text for _, text in found] == [
        each.encode().strip(b" \t\r\n").decode() for each in several if each.strip(" \t\r\n")
    ]


def test_no_depth_makes_a_bracket_dear() -> None:
    """What looks through all brackets around each does not come to an end with these."""
    many = 300_000
    cut_off = Rejected("[0]", "the file ends here, in the middle of the list")
    for raw in (b"[" + b'{"a":[' * many, b"[" + b"[" * many + b"}" * many):
        assert list(elements(chunks(raw, 2**18), most=MOST)) == [cut_off]
    raw = b"[" + b"[" * many + b"]" * many + b",1]"
    lists = b"[]" * many + b"[1]"
    assert list(elements(chunks(lists, 2**20), most=MOST)) == [Piece("[0]", b"1")]
    found = list(elements(chunks(raw, 2**18), most=MOST))
    assert found == [Rejected("[0]", f"more than {MOST} bytes"), Piece("[1]", b"1")]


@given(
    st.lists(st.lists(JSON), min_size=1, max_size=4),
    st.sampled_from(["", "\n", " \r\n", "\n\ufeff"]),
    st.integers(1, 20),
    st.sampled_from([None, 1]),
)
def test_lists_behind_a_list_are_read_on(
    lists: list[list[object]], between: str, size: int, indent: int | None
) -> None:
    raw = between.join(json.dumps(each, indent=indent) for each in lists).encode()
    found = list(elements(chunks(raw + b"\n", size), most=MOST))
    told = [json.loads(each.raw) for each in found if isinstance(each, Piece)]
    assert told == [each for several in lists for each in several]
    assert [each.at for each in found] == [f"[{at}]" for at in range(len(told))]


@pytest.mark.parametrize("behind", [" garbage", "]]}}oops{[1]", ",[3]", "\n{}", "\0"])
@pytest.mark.parametrize("size", [1, 7, 100])
def test_what_else_is_behind_a_list_is_told(behind: str, size: int) -> None:
    raw = f"[1,2]{behind}".encode()
    told = Rejected("[2]", "the list ends before, and no list follows")
    assert list(elements(chunks(raw, size), most=MOST)) == [
        Piece("[0]", b"1"),
        Piece("[1]", b"2"),
        told,
    ]
