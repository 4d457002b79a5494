import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.text.identifiers import MAX_PARTS, parts, whole


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("replacePlaceholders", ["replace", "Placeholders"]),
        ("ReplacePlaceholders", ["Replace", "Placeholders"]),
        ("user_id", ["user", "id"]),
        ("MAX_QUERY_TERMS", ["MAX", "QUERY", "TERMS"]),
        ("__init__", ["init"]),
        ("getHTTPResponse2", ["get", "HTTP", "Response2"]),
        ("userIDs", ["user", "IDs"]),
        ("URLs", ["URLs"]),
        ("sha256", ["sha256"]),
        ("base64Encode", ["base64", "Encode"]),
        ("getX509Cert", ["get", "X509", "Cert"]),
        ("HTTP2Server", ["HTTP2", "Server"]),
        ("3D", ["3D"]),
        ("E1101", ["E1101"]),
        ("0x80070057", ["0x80070057"]),
        ("größeBerechnen", ["größe", "Berechnen"]),
        ("Donaudampfschiff", ["Donaudampfschiff"]),
        ("aBcDeFgHiJkLmNoPqRsTuVwXyZ", ["aBcDeFgHiJkLmNoPqRsTuVwXyZ"]),
        ("_", []),
    ],
)
def test_a_name_has_these_parts(word: str, expected: list[str]) -> None:
    assert parts(word) == expected


@given(st.from_regex(r"\w{0,80}", fullmatch=True))
def test_the_parts_of_a_word_are_the_word_without_separators(word: str) -> None:
    found = parts(word)
    assert len(found) <= MAX_PARTS
    assert "".join(found).replace("_", "") == word.replace("_", "")


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        (["user", "id"], "userid"),
        (["v1", "2", "3"], "v1_2_3"),
        (["1", "23"], "1_23"),
        (["12", "3"], "12_3"),
        (["sha", "256"], "sha256"),
        ([], ""),
    ],
)
def test_a_whole_is_the_same_however_it_is_spelled(pieces: list[str], expected: str) -> None:
    assert whole(pieces) == expected
