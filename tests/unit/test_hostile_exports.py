"""Whatever an export holds, what cannot be read is told by its place: reading never stumbles."""

import gzip
import io
import json
import zipfile
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.errors import ImportUnreadable
from app.formats.found import Rejected, Said
from tests.exports import ASKED, chatgpt_conversation, sharegpt_conversation, spelled
from tests.readings import contents_in, found_in, rejected_in

_NAMES = (
    *("record", "id", "type", "role", "content", "messages", "user_id", "title", "name", "source"),
    *("mapping", "current_node", "parent", "message", "author", "parts", "content_type", "text"),
    *("chat_messages", "uuid", "sender", "created_at", "create_time", "attachments", "tool_calls"),
    *("current_leaf_message_uuid", "parent_message_uuid", "from", "value", "conversations"),
    *("data", "conversation", "items", "thread_id", "function_call", "refusal", "system"),
    *("metadata", "consent", "profile", "derived_from", "echo", "version", "file_name", "language"),
)
_WORDS = (
    *("memory", "user", "superseded", "conversation", "foreword", "fact", "assistant", "human"),
    *("gpt", "text", "code", "tool_use", "tool_result", "a", "2024-03-01", "\0", "\ud800"),
)
_LEAVES = (
    st.none()
    | st.booleans()
    | st.sampled_from([0, -1, 5, 10**30, 10**400, float("nan"), float("inf"), 1e300, 1.7e9])
    | st.sampled_from(_WORDS)
)
VALUES = st.recursive(
    _LEAVES,
    lambda inside: (
        st.lists(inside, max_size=4)
        | st.dictionaries(st.sampled_from(_NAMES + _WORDS[:12]), inside, max_size=8)
    ),
    max_leaves=30,
)


def deep(record: str) -> bytes:
    """With as many brackets as JSON is read with, and more than Python looks into."""
    return record.replace("DEEP", "[" * 1_000 + "]" * 1_000).encode()


@given(st.lists(st.dictionaries(st.sampled_from(_NAMES), VALUES, max_size=8), max_size=3))
def test_no_record_makes_reading_stumble(records: list[dict[str, Any]]) -> None:
    known = [sharegpt_conversation(), *records]
    for raw in (json.dumps(known), "\n".join(map(json.dumps, known))):
        assert isinstance(found_in(raw.encode())[0], Said)


@pytest.mark.parametrize(
    "record",
    [
        '{"record":"memory","type":["x"],"content":"x"}',
        '{"record":"memory","type":{"x":1},"content":"x"}',
        '{"title":DEEP,"mapping":{}}',
        '{"mapping":{},"create_time":DEEP}',
        '{"name":DEEP,"chat_messages":[]}',
        '{"record":DEEP}',
        '{"record":"foreword","version":DEEP}',
        '{"messages":[],"label":DEEP}',
    ],
)
def test_a_record_that_cannot_be_read_costs_no_other(record: str) -> None:
    others = spelled(sharegpt_conversation()).decode()
    raw = deep(f"[{others},{record},{others}]")
    assert rejected_in(raw) == ["[1]"]
    assert len(contents_in(raw)) == 4


def test_a_message_that_is_nested_too_deep_costs_no_other() -> None:
    raw = deep('{"messages":[{"role":"user","content":"x"},{"role":DEEP,"content":"y"}]}')
    assert (contents_in(raw), rejected_in(raw)) == (["x"], ["line 1.messages[1]"])


def test_a_list_of_messages_of_any_depth_has_a_name() -> None:
    raw = deep('[{"role":"user","content":"x","more":DEEP},{"role":"user","content":"y"}]')
    assert contents_in(raw) == ["x", "y"]


def a_zip(content: bytes, method: int = zipfile.ZIP_STORED) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        archive.writestr("conversations-1.json", content)
        archive.writestr("conversations-2.json", spelled([sharegpt_conversation()]))
    return file.getvalue()


def of_method(number: int) -> bytes:
    """A zip whose first member says that it is packed in another way."""
    raw = bytearray(a_zip(spelled([chatgpt_conversation()])))
    for mark, offset in ((b"PK\x03\x04", 8), (b"PK\x01\x02", 10)):
        at = raw.index(mark) + offset
        raw[at : at + 2] = number.to_bytes(2, "little")
    return bytes(raw)


def with_damage(method: int) -> bytes:
    content = spelled([chatgpt_conversation(str(number)) for number in range(50)])
    raw = bytearray(a_zip(content, method))
    at = raw.index(b"conversations-1.json") + 20
    raw[at + 40 : at + 80] = b"\xff" * 40
    return bytes(raw)


@pytest.mark.parametrize(
    "raw",
    [
        pytest.param(of_method(9), id="Deflate64"),
        pytest.param(of_method(93), id="Zstandard"),
        *(
            pytest.param(with_damage(each), id=f"method {each}")
            for each in (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
        ),
    ],
)
def test_a_member_that_cannot_be_unpacked_costs_no_other(raw: bytes) -> None:
    assert rejected_in(raw)[-1] == "conversations-1.json the rest"
    assert contents_in(raw)[-2:] == contents_in(spelled([sharegpt_conversation()]))


def test_a_zip_that_did_not_come_whole_is_told_as_that() -> None:
    with pytest.raises(ImportUnreadable, match="the beginning of a zip"):
        found_in(a_zip(spelled([chatgpt_conversation()]))[:-30])


@pytest.mark.parametrize(
    "begins", [gzip.compress(b"[]", mtime=0), b"Rar!\x1a\x07\x01\x00", b"7z\xbc\xaf\x27\x1c"]
)
def test_what_is_packed_otherwise_is_told_as_that(begins: bytes) -> None:
    with pytest.raises(ImportUnreadable, match="unpack it first"):
        found_in(begins + b"\0" * 9)


def test_a_table_whose_first_column_is_pk_is_no_zip() -> None:
    assert contents_in(b"PK,content\n1,hello\n") == ["hello"]


@pytest.mark.parametrize(
    ("list_of_it", "content"),
    [
        ("conversations.json", b'[{"messages":[{"role":"user","content":"x"}]}]'),
        ("chats.csv", b"role,content\nuser,x\n"),
    ],
)
def test_a_zip_may_spell_its_folders_as_another_system_does(
    list_of_it: str, content: bytes
) -> None:
    """And hold what that system keeps beside each file."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"My export\\{list_of_it}", content)
        archive.writestr("My export\\user.jpg", b"\xff")
        archive.writestr(f"__MACOSX/My export/._{list_of_it}", b"\x00\x05")
    raw = file.getvalue()
    assert (contents_in(raw), rejected_in(raw)) == (["x"], [])


@given(
    st.sampled_from([zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]),
    st.integers(0, 2_000),
    st.integers(1, 255),
)
def test_no_damage_to_a_zip_makes_reading_stumble(method: int, at: int, flip: int) -> None:
    raw = bytearray(a_zip(spelled([chatgpt_conversation()]), method))
    raw[at % len(raw)] ^= flip
    with suppress(ImportUnreadable):
        found_in(bytes(raw))


TABLE = f"role,content\nuser,{ASKED}\nassistant,Fine.\n"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_of_a_table_that_is_cut_off_the_whole_rows_are_read(order: str) -> None:
    raw = ("\ufeff" + TABLE).encode(order)[:-3]
    assert contents_in(raw) == [ASKED]
    assert rejected_in(raw) == ["line 3"]


def test_a_row_that_is_no_text_costs_no_other() -> None:
    half = b"\x00\xd8"
    raw = ("\ufeff" + TABLE).encode("utf-16-le").replace("is the".encode("utf-16-le"), half)
    assert (contents_in(raw), rejected_in(raw)) == (["Fine."], ["line 2"])
    raw = TABLE.encode().replace(b"Fine", b"\xff\xfe")
    assert (contents_in(raw), rejected_in(raw)) == ([ASKED], ["line 3"])


def test_a_title_that_cannot_be_stored_is_told_and_the_rows_go_in() -> None:
    raw = b"title,content\nMach\0ines,hello\nMachines,there\n"
    assert (contents_in(raw), rejected_in(raw)) == (["hello", "there"], ["line 2"])


@pytest.mark.parametrize("form", ["list", "lines", "alone", "messages"])
def test_a_record_of_too_many_values_is_told_by_its_place_before_it_is_read(form: str) -> None:
    many = b'{"messages":[%s]}' % b",".join([b"{}"] * 10_000)
    good = spelled(sharegpt_conversation())
    match form:
        case "list":
            assert rejected_in(b"[%s,%s]" % (many, good)) == ["[0]"]
        case "lines":
            assert rejected_in(good + b"\n" + many) == ["line 2"]
        case "messages":
            said = spelled({"role": "user", "content": ASKED})
            assert rejected_in(said + b"\n" + many) == ["line 2"]
        case _:
            with pytest.raises(ImportUnreadable, match="it has more than 10000 values"):
                found_in(b"{\n" + many[1:])


def test_of_a_line_that_is_no_json_it_is_told_how_far_in() -> None:
    told = found_in(b'{"role": "user", "content": "a"}\n{"role": "us\n{,}\n')
    reasons = [each.reason for each in told if isinstance(each, Rejected)]
    assert reasons == [
        "is no JSON: Unterminated string at column 10",
        "is no JSON: Expecting property name enclosed in double quotes at column 2",
    ]
