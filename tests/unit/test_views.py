"""What profiles are called among memory items."""

from uuid import UUID

from hypothesis import given
from hypothesis import strategies as st

from app.domain.ids import ItemId, ScopeKey
from app.domain.memories import profile_id, scope_of_profile


@given(st.integers(min_value=1, max_value=2**62 - 1))
def test_the_id_of_a_profile_leads_back_to_its_scope(scope: int) -> None:
    called = profile_id(ScopeKey(scope))
    assert (called.version, scope_of_profile(called)) == (8, scope)


@given(
    st.uuids(version=4) | st.integers(min_value=0, max_value=2**128 - 1).map(lambda n: UUID(int=n))
)
def test_no_other_id_is_one_of_a_profile(other: UUID) -> None:
    scope = scope_of_profile(ItemId(other))
    assert scope is None or profile_id(scope) == other
