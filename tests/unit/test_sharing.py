"""One look for many who ask."""

import asyncio

import pytest

from app.domain.errors import StoreUnavailable
from app.services.operating.sharing import Shared


class Sight:
    """Counts the looks; each lasts until `open`."""

    def __init__(self) -> None:
        self.looks = 0
        self.open = asyncio.Event()
        self.fails = False
        self.seconds = 1_000.0

    async def look(self) -> int:
        self.looks += 1
        await self.open.wait()
        if self.fails:
            raise StoreUnavailable
        return self.looks

    def shared(self, seconds: float) -> Shared[int]:
        return Shared(look=self.look, seconds=seconds, timer=lambda: self.seconds)


async def test_all_who_come_while_one_looks_share_the_look() -> None:
    sight = Sight()
    shared = sight.shared(seconds=0)
    asking = [asyncio.create_task(shared()) for _ in range(5)]
    await asyncio.sleep(0)
    sight.open.set()
    assert await asyncio.gather(*asking) == [1] * 5
    assert await shared() == 2


async def test_what_was_found_is_kept_for_a_while() -> None:
    sight = Sight()
    sight.open.set()
    shared = sight.shared(seconds=60)
    assert await shared() == 1
    sight.seconds += 59.9
    assert await shared() == 1
    sight.seconds += 0.1
    assert await shared() == 2


async def test_who_goes_away_does_not_end_the_look_of_the_others() -> None:
    sight = Sight()
    shared = sight.shared(seconds=0)
    impatient, patient = (asyncio.create_task(shared()) for _ in range(2))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait({impatient})
    sight.open.set()
    assert await patient == 1


async def test_a_look_that_failed_is_not_kept() -> None:
    sight = Sight()
    sight.open.set()
    sight.fails = True
    shared = sight.shared(seconds=60)
    with pytest.raises(StoreUnavailable):
        await shared()
    sight.fails = False
    assert await shared() == 2
