"""Tables as programs write them: what separates cells, how letters are spelled, what is damaged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.conversation import Role
from app.formats.archive import CHUNK
from app.formats.found import Rejected
from app.formats.rereading import Lines
from tests.exports import lines_of, sharegpt_conversation, spelled
from tests.readings import contents_in, reasons_in, rejected_in, said_in

UMLAUTS = "Wie heißt der Rechner, der täglich baut?"
TABLE = f'role;content\nuser;"{UMLAUTS}"\nassistant;Er heißt Hugin € so die Straße.\n'


@pytest.mark.parametrize(
    "begins", ["sep=;\n", '"sep=;"\r\n', "\n", "\r\n\r\n", "\ufeffsep=;\n", ";;\n"]
)
def test_a_table_may_begin_with_what_excel_writes(begins: str) -> None:
    raw = (begins + TABLE).encode()
    assert (len(contents_in(raw)), rejected_in(raw)) == (2, [])


@pytest.mark.parametrize("padding", [1, CHUNK])
def test_a_table_of_windows_1252_is_read(padding: int) -> None:
    text = TABLE.replace("\n", f"\nuser;{'x' * padding}\n", 1)
    raw = text.encode("cp1252")
    assert (contents_in(raw)[-2:], rejected_in(raw)) == (contents_in(text.encode())[-2:], [])
    assert contents_in(raw)[-2] == UMLAUTS


def test_a_damaged_letter_makes_a_table_no_other_than_utf_8() -> None:
    raw = TABLE.encode().replace("€".encode(), b"\xe2\x80")
    assert (contents_in(raw), rejected_in(raw)) == ([UMLAUTS], ["line 3"])
    cut = ("content\n" + "x" * (CHUNK - 9) + "ü\n").encode()
    assert contents_in(cut)[0].endswith("xü")  # type: ignore[union-attr]


def test_a_quotation_mark_that_nobody_closes_takes_nothing_along() -> None:
    raw = b'role,content\nuser,one\nuser,"two\nuser,three\nuser,"four\nassistant,"five\nsix"\n'
    assert contents_in(raw) == ["one", "three", "five\nsix"]
    assert rejected_in(raw) == ["line 3", "line 5"]
    assert rejected_in(b'content\n"He said "no" twice"\nyes\n') == ["line 2"]


def test_a_row_with_more_cells_than_columns_is_told_not_cut() -> None:
    raw = b"role,content\nuser,Hello, you there\nuser,fine,,\nassistant,yes, \nuser\n"
    assert contents_in(raw) == ["fine", "yes"]
    assert rejected_in(raw) == ["line 2", "line 5"]


@pytest.mark.parametrize("nothing", ["k2;user;;2024-01-01", "k2;user; ;2024-01-01", "k2"])
def test_a_row_that_says_nothing_is_told(nothing: str) -> None:
    raw = f"id;role;content;time\nk1;user;one;2024-01-01\n{nothing}\nk3;user;three;\n".encode()
    (found,) = said_in(raw)
    assert [each.external_id for each in found.conversation.messages] == ["k1", "k3"]
    assert found.rejected == [Rejected("line 3", "content says nothing")]


@pytest.mark.parametrize("blank", ["", ";;;", " ; ; ; "])
def test_a_row_without_a_word_is_none(blank: str) -> None:
    raw = f"id;role;content;time\nk1;user;one;\n{blank}\nk3;user;three;\n".encode()
    assert (contents_in(raw), rejected_in(raw)) == (["one", "three"], [])


def test_spaces_behind_separators_belong_to_no_cell() -> None:
    raw = b'"role", "content"\nuser, "Hello, you"\nassistant, yes\n'
    assert (contents_in(raw), rejected_in(raw)) == (["Hello, you", "yes"], [])
    assert contents_in(b"role,content\nuser,  as it was\n") == ["  as it was"]


@given(st.text('a",\n', max_size=60))
def test_lines_are_read_twice_at_most(text: str) -> None:
    lines = [f"{each}\n" for each in text.split("\n")]
    read = Lines(lines, most=1_000)
    taken: list[str] = []
    while True:
        read.begin()
        try:
            taken += [next(read), next(read)]
        except StopIteration:
            break
        read.again()
    assert len(taken) <= 2 * len(lines)
    raw = f"content\n{text}".encode()
    assert all(each in raw.decode() for row in contents_in(raw) for each in (row or "").split('"'))


def test_a_row_tells_whose_it_is() -> None:
    raw = b"user_id,content,thread\nalice,hi,t\nbob,hi,t\nalice,there,t\n,hi,t\n" + b"x" * 300
    assert [(each.conversation.user_id, each.at) for each in said_in(raw)] == [
        ("alice", "line 2"),
        ("bob", "line 3"),
        ("alice", "line 4"),
        (None, "line 5"),
    ]
    ids = [each.external_id for one in said_in(raw) for each in one.conversation.messages]
    assert len(set(ids)) == 4
    assert rejected_in(raw) == ["line 6"]


@pytest.mark.parametrize(
    ("spelled_so", "wanted"),
    [
        ("20240105", "2024-01-05T00:00:00+00:00"),
        ("20249905", "1970-08-23T08:58:25+00:00"),
        ("2024-01-05 10:00:00 UTC", "2024-01-05T10:00:00+00:00"),
        ("25/12/2024", "2024-12-25T00:00:00+00:00"),
        ("25/12/2024 10:00", "2024-12-25T10:00:00+00:00"),
        ("12/25/2024, 3:04:05 PM", "2024-12-25T15:04:05+00:00"),
        ("05/05/2024 10:00:01", "2024-05-05T10:00:01+00:00"),
    ],
)
def test_times_are_read_as_people_write_them(spelled_so: str, wanted: str) -> None:
    (found,) = said_in(f'content;time\nhi;"{spelled_so}"\n'.encode())
    assert found.conversation.created_at is not None
    assert found.conversation.created_at.isoformat() == wanted


@pytest.mark.parametrize(
    "spelled_so",
    ["01/05/2024 10:00", "13/13/2024", "0/0/2024", "1/13/2024 x"],
)
def test_times_that_could_be_two_or_none_are_rejected(spelled_so: str) -> None:
    assert rejected_in(f"content;time\nhi;{spelled_so}\n".encode()) == ["line 2"]


def test_a_time_that_could_be_two_is_told_as_that() -> None:
    raw = b"content;time\nhi;01/05/2024\nho;13/13/2024\n"
    reasons = [each.reason for said in said_in(raw) for each in said.rejected]
    assert reasons == [
        "created_at could be two days: '01/05/2024', by day or by month first",
        "created_at is no time: '13/13/2024'",
    ]


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("padding", [0, CHUNK])
def test_json_in_utf_16_is_read(order: str, padding: int) -> None:
    several = [sharegpt_conversation(name) for name in ("ä" * (padding + 1), "b")]
    files = [spelled(several), lines_of(*several), json.dumps(several[0], indent=1).encode()]
    for file in files:
        raw = ("\ufeff" + file.decode()).encode(order)
        assert contents_in(raw) == contents_in(file)
        assert rejected_in(raw) == []


def test_a_speaker_that_is_called_as_a_role_has_it_where_no_column_tells() -> None:
    table = "speaker,text\nAgent,Hello\nCustomer,Hi\nSupport agent,How?\nAlice,Late\n,Anyone?\n"

    (said,) = said_in(table.encode())

    assert [(each.role, each.name) for each in said.conversation.messages] == [
        (Role.ASSISTANT, "Agent"),
        (Role.USER, "Customer"),
        (Role.ASSISTANT, "Support agent"),
        (Role.USER, "Alice"),
        (Role.USER, None),
    ]


def test_a_role_that_is_told_holds_whoever_speaks() -> None:
    (said,) = said_in(b"role,speaker,text\nuser,Agent,I am agent Smith.\n,Agent,I am not.\n")

    assert [each.role for each in said.conversation.messages] == [Role.USER, Role.ASSISTANT]


@pytest.mark.parametrize(
    ("raw", "cell"),
    [(b"content,role\n\x81\x8d bad,user\n", 1), (b"role,content\nuser,\x81\n", 2)],
)
def test_bytes_of_an_unknown_encoding_are_told_as_that(raw: bytes, cell: int) -> None:
    assert rejected_in(raw) == ["line 2"]
    assert reasons_in(raw) == [f"cell {cell} is no text in UTF-8 or Windows-1252"]
