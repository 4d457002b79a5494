"""Work that nobody waits for gives way to what somebody waits for."""

import asyncio
from dataclasses import dataclass, field

import pytest

from app.services.common.pacing import Traffic


@dataclass
class Street:
    """A traffic whose time and rests are told."""

    now: float = 1_000.0
    rests: list[float] = field(default_factory=list)

    async def rest(self, seconds: float) -> None:
        self.rests.append(seconds)


@pytest.fixture
def street(monkeypatch: pytest.MonkeyPatch) -> Street:
    street = Street()
    monkeypatch.setattr(asyncio, "sleep", street.rest)
    return street


def traffic(street: Street, share: float = 0.25) -> Traffic:
    return Traffic(share=share, lull=0.5, timer=lambda: street.now)


async def test_it_does_not_rest_before_anybody_came(street: Street) -> None:
    await traffic(street).let_pass(worked=0.1)
    assert not street.rests


async def test_it_has_its_share_while_somebody_comes(street: Street) -> None:
    busy = traffic(street, share=0.25)
    busy.seen()
    street.now += 0.4
    await busy.let_pass(worked=0.1)
    assert street.rests == [pytest.approx(0.3)]


async def test_it_goes_on_once_nobody_comes(street: Street) -> None:
    busy = traffic(street)
    busy.seen()
    street.now += 0.5
    await busy.let_pass(worked=0.1)
    assert not street.rests


async def test_whoever_may_have_all_of_it_never_rests_long(street: Street) -> None:
    busy = traffic(street, share=1.0)
    busy.seen()
    await busy.let_pass(worked=0.1)
    assert street.rests == [0.0]


async def test_a_long_piece_is_not_followed_by_a_longer_rest(street: Street) -> None:
    busy = traffic(street)
    busy.seen()
    await busy.let_pass(worked=60.0)
    assert street.rests == [1.0]
