"""What is kept of users themselves, and of what a tenant switches."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from app.domain.flags import FlagState
from app.domain.ids import ConversationKey, ItemKey, ScopeKey
from app.domain.profile import Consent, DerivedEntry, Entry, Grant, Profile, Purpose
from app.ports.stored import Erased


class PersonalReader(Protocol):
    async def consent(self, scope: ScopeKey) -> Consent:
        """What was agreed to, expired or not."""
        ...

    async def find_profile(self, scope: ScopeKey, *, now: datetime) -> Profile | None:
        """What was written of a profile; None for nothing, or without consent that holds."""
        ...

    async def derived(
        self,
        scope: ScopeKey,
        *,
        now: datetime,
        at: datetime,
        apart_from: Collection[ConversationKey] = (),
    ) -> Sequence[DerivedEntry]:
        """
        What facts say that hold `at` a moment, the newest first, of conversations that may be
        recalled, but for those `apart_from`; nothing, unless consent to use the profile and to
        derive from facts holds `now`.
        """
        ...

    async def consents(self, *, now: datetime) -> Mapping[Purpose, int]:
        """How many users of the tenant agree to each purpose `now`."""
        ...

    async def remaining(self, scope: ScopeKey) -> tuple[int, int]:
        """How many profiles and derived entries are stored of a scope, whatever was agreed to."""
        ...


class PersonalWriter(PersonalReader, Protocol):
    async def grant(self, scope: ScopeKey, purposes: Collection[Purpose], grant: Grant) -> None:
        """Note that all of `purposes` were agreed to, in place of what was said before."""
        ...

    async def revoke(self, scope: ScopeKey, purposes: Collection[Purpose]) -> Erased:
        """Forget that they were agreed to."""
        ...

    async def put_profile(self, scope: ScopeKey, profile: Profile) -> None: ...

    async def derive(
        self, scope: ScopeKey, entries: Mapping[ItemKey, Entry], *, now: datetime
    ) -> None:
        """Keep what facts say as entries of the profile, where the consents to that hold `now`."""
        ...

    async def forget_derived(self, fact: ItemKey) -> None:
        """Drop the entry that a fact is, if it is any."""
        ...

    async def erase_profile(self, scope: ScopeKey) -> Erased:
        """Erase the profile, and the receipts of bundles that may have shown it."""
        ...

    async def erase_derived(self, scope: ScopeKey) -> Erased:
        """The same of what is derived from facts; what was written stays."""
        ...


class FlagReader(Protocol):
    async def get(self) -> FlagState: ...


class FlagWriter(FlagReader, Protocol):
    async def change(
        self, given: Mapping[str, bool | int], *, reset: Sequence[str], now: datetime
    ) -> FlagState:
        """Set what is given, and let the defaults hold again for `reset`; what holds then."""
        ...
