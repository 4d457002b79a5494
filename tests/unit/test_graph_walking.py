"""How often a walk over the graph asks, without a database."""

from dataclasses import dataclass

import pytest

from app.adapters.sql.graph_walking import explored
from app.domain.ids import LOCAL_TENANT, EntityKey, ScopeKey
from app.domain.walking import Views, Walk
from app.ports import RecallFilter


@dataclass(frozen=True)
class _Nowhere:
    walk: Walk
    entities: tuple[EntityKey, ...] = ()
    edges: tuple[int, ...] = ()


def test_what_nobody_is_called_by_is_asked_for_once() -> None:
    within = RecallFilter(scopes=[ScopeKey(1)])
    asking = explored({"weather", "rain"}, _Nowhere, tenant=LOCAL_TENANT, within=within)
    _, values = next(asking)
    assert values["names"] == ["rain", "weather"]
    with pytest.raises(StopIteration) as ended:
        asking.send([])
    assert ended.value.value == (Walk(), _Nowhere(Walk()), Views())
