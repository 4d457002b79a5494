"""Nobody is answered with a byte of somebody else's, whatever happens at the same time."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from itertools import count
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from app.settings import KeySettings, Settings
from tests.api.keyed import EVERYTHING, a_caller, a_key, the_service
from tests.api.neighbours import TENANTS, USERS, Neighbours, Step
from tests.api.neighbours_acts import ACTS
from tests.api.neighbours_ways import WAYS
from tests.api.proxied import passing_on
from tests.stand_in_model import StandInModel, stand_in_model

_examples = count(1)

OFTEN = ["store", "store", "append", "context", "context", "context", "search", "replay"]
OFTEN += ["stream", *WAYS, *WAYS]
steps = st.builds(
    Step,
    act=st.sampled_from([*OFTEN, *ACTS]),
    tenant=st.integers(0, TENANTS - 1),
    user=st.integers(0, len(USERS) - 1),
    pick=st.integers(0, 59),
    twist=st.integers(0, 5),
)
everybody_says_something = [
    Step("store", tenant, user, 1, 4) for tenant in range(TENANTS) for user in range(len(USERS))
]
everybody_says_the_same = [Step("store", tenant, 0, 0, 0) for tenant in range(TENANTS)]
by_each_way = [
    Step(way, tenant % TENANTS, 0, tenant % TENANTS, 1)
    for tenant, way in enumerate(["stream", *WAYS])
]


@dataclass(frozen=True, slots=True)
class Service:
    app: Any
    settings: Settings
    upstream: StandInModel


@pytest.fixture
async def service(settings: Settings) -> AsyncIterator[Service]:
    keyed = settings.model_copy(update={"keys": KeySettings(noted_s=0.05)})
    await a_key(keyed, "first")
    with stand_in_model() as upstream:
        async with the_service(passing_on(keyed, upstream)) as app:
            yield Service(app, keyed, upstream)


@hypothesis(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],  # examples share a service, so a smaller one may tell nothing
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(rounds=st.lists(st.lists(steps, min_size=3, max_size=6), min_size=5, max_size=10))
async def test_no_answer_holds_a_byte_of_somebody_elses(
    service: Service, rounds: Sequence[Sequence[Step]]
) -> None:
    """Each round is asked at once; what comes out of it is there for the next to pry into."""
    name = f"mk{next(_examples)}"
    async with AsyncExitStack() as stack:
        callers = []
        for tenant in range(TENANTS):
            _, key = await a_key(service.settings, f"{name}-{tenant}", EVERYTHING)
            callers.append(await stack.enter_async_context(a_caller(service.app, key)))
        neighbours = Neighbours(name, callers, ACTS, service.upstream)
        for together in (everybody_says_something, everybody_says_the_same, by_each_way):
            await neighbours.take_at_once(together)
        assert {"stream", *WAYS} <= neighbours.told_of_own
        for some in rounds:
            await neighbours.take_at_once(some)
