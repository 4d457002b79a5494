from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import KeyId, TenantId
from app.domain.keys import (
    ApiKey,
    Permission,
    expiry_named,
    hash_of,
    in_order,
    looks_like_a_key,
    permissions_named,
    tenant_named,
    written,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
secrets = st.binary(min_size=32, max_size=32)


@given(secrets)
def test_a_key_is_known_by_its_looks_and_hides_behind_its_hash(secret: bytes) -> None:
    key = written(secret)
    assert looks_like_a_key(key)
    assert len(key) == 47
    assert key.isascii()
    assert len(hash_of(key)) == 32


@given(secrets, secrets)
def test_two_secrets_make_two_keys_and_two_hashes(one: bytes, other: bytes) -> None:
    same = one == other
    assert (written(one) == written(other)) is same
    assert (hash_of(written(one)) == hash_of(written(other))) is same


@pytest.mark.parametrize("length", [0, 31, 33])
def test_a_secret_of_another_length_is_none(length: int) -> None:
    with pytest.raises(ValueError, match="32 bytes"):
        written(bytes(length))


@given(st.text())
def test_hardly_any_text_looks_like_a_key(text: str) -> None:
    assert not looks_like_a_key(text)
    assert not looks_like_a_key(f"{written(bytes(32))}{text}") or text == ""


@given(st.text(max_size=80))
def test_a_tenant_is_named_as_it_is_or_refused(text: str) -> None:
    try:
        assert tenant_named(text) == text
    except ValueError as error:
        assert str(error)  # noqa: PT017  (either is right)
    else:
        assert 1 <= len(text) <= 64
        assert text.isascii()


@pytest.mark.parametrize("name", ["acme", "A", "a.b-c_d", "7", "x" * 64])
def test_tenants_have_plain_names(name: str) -> None:
    assert tenant_named(name) == name


@pytest.mark.parametrize("name", ["", "x" * 65, " a", "a b", "a/b", ".a", "-a", "é", "a\n", "a\0"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="1 to 64"):
        tenant_named(name)


@given(st.sets(st.sampled_from(Permission), min_size=1), st.sampled_from([",", ", ", " ", ",,"]))
def test_permissions_are_read_as_they_are_written(wanted: set[Permission], between: str) -> None:
    read = permissions_named(between.join(wanted))
    assert read == wanted
    assert permissions_named(",".join(in_order(read))) == read


@pytest.mark.parametrize("text", ["", ",", "all", "read,root", "READ"])
def test_other_permissions_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="read, write, admin"):
        permissions_named(text)


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("90d", NOON + timedelta(days=90)),
        ("12h", NOON + timedelta(hours=12)),
        ("1m", NOON + timedelta(minutes=1)),
        ("2w", NOON + timedelta(weeks=2)),
        ("2027-01-31", datetime(2027, 1, 31, tzinfo=UTC)),
        ("2027-01-31T12:00:00Z", datetime(2027, 1, 31, 12, tzinfo=UTC)),
        ("2027-01-31T12:00:00+02:00", datetime(2027, 1, 31, 10, tzinfo=UTC)),
    ],
)
def test_an_expiry_is_an_age_a_day_or_a_time(text: str, ends: datetime) -> None:
    assert expiry_named(text, now=NOON) == ends


@pytest.mark.parametrize(
    "text",
    [
        *("", "soon", "0d", "-1d", "1y", "9999999d"),
        "2027-01-31T12:00:00",
        *("2026-03-01", "2026-03-01T12:00:00Z"),
    ],
)
def test_other_expiries_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an expiry"):
        expiry_named(text, now=NOON)


@given(st.text(max_size=30) | st.from_regex(r"[0-9]{1,7}[mhdw]", fullmatch=True))
def test_an_expiry_is_after_now_or_refused(text: str) -> None:
    try:
        ends = expiry_named(text, now=NOON)
    except ValueError:
        return
    assert ends > NOON
    assert ends.tzinfo is UTC


def a_key(**about: datetime) -> ApiKey:
    return ApiKey(
        id=KeyId(UUID(int=1)),
        tenant=TenantId("acme"),
        name="laptop",
        permissions=frozenset(Permission),
        created_at=NOON,
        **about,
    )


def test_a_key_opens_until_it_expires_or_is_revoked() -> None:
    later = NOON + timedelta(days=1)
    assert a_key().opens(later)
    assert a_key(expires_at=later).opens(NOON)
    assert not a_key(expires_at=later).opens(later)
    assert not a_key(revoked_at=NOON).opens(NOON)


@pytest.mark.parametrize("text", ["999999999d", "999999w", f"{'9' * 99}h"])
def test_an_expiry_after_all_years_is_told_apart(text: str) -> None:
    with pytest.raises(ValueError, match="so far off is none: the year 9999 is the last"):
        expiry_named(text, now=NOON)
