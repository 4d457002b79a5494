"""What a list of messages was called when it was shorter."""

from hypothesis import given
from hypothesis import strategies as st

from app.formats.fields import digest, digests
from app.formats.growing import Naming, naming_of_lines
from tests.readings import said_in

PARTS = st.lists(st.one_of(st.text(), st.lists(st.text(max_size=3), max_size=3), st.none()))


@given(parts=PARTS)
def test_digests_are_those_of_each_beginning(parts: list[object]) -> None:
    assert list(digests(parts)) == [digest(*parts[:end]) for end in range(1, len(parts) + 1)]


@given(lines=st.lists(st.sampled_from([b"a", b"bc", b""]), min_size=1), cut=st.integers(1, 5))
def test_a_table_has_been_called_by_each_of_its_beginnings(lines: list[bytes], cut: int) -> None:
    whole = b"\r\n".join(lines)
    naming = naming_of_lines(whole[at : at + cut] for at in range(0, len(whole), cut))
    assert naming.name == naming_of_lines([whole]).name
    for end in range(1, len(lines)):
        begins = b"\r\n".join(lines[:end])
        for spelled in (begins, begins + b"\r\n"):
            name = naming_of_lines([spelled]).name
            assert name in naming.before or spelled in {b"", whole}


def test_nothing_was_before_the_first_part() -> None:
    naming = Naming()
    naming.add(b"a")
    assert naming.before == frozenset()


def test_what_tells_its_conversation_needs_no_name() -> None:
    (said,) = said_in(b'{"id": "c", "messages": [{"role": "user", "content": "a"}]}')
    assert said.grown is None
