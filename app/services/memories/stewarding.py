"""Consent, and the profile that it covers: told, used, revoked."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app.distil.facts.portrait import entries_of
from app.distil.facts.told import speakers_of
from app.domain.audit import Action, Deed, user_subject
from app.domain.conversation import Scope
from app.domain.errors import ConsentMissing, ProfileNotFound, ProfileTooLarge
from app.domain.ids import ScopeKey, TenantId
from app.domain.memory import ItemType
from app.domain.profile import (
    MOST_ENTRIES,
    Consent,
    ConsentChanges,
    Grant,
    Profile,
    ProfileChanges,
    Purpose,
)
from app.ports import Clock
from app.ports.store import Store, Transaction
from app.ports.stored import Erased
from app.services.context.knowing import known_profile
from app.services.erasing.erasure import ErasureDesk, Forgotten, Left
from app.services.writing.entering import owner
from app.text.profile import profile_json

MOST_CHARACTERS = 64_000
"""Of a profile as JSON: it is read with every context."""

_COVERING = frozenset({Purpose.PROFILE, Purpose.FACTS})
"""What covers anything that is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Steward:
    """
    Keeps what users agreed to, and their profiles.

    Whoever writes takes the scope first: on PostgreSQL two who write at once go one after the
    other, so that no profile slips in behind a consent that is being revoked.
    """

    store: Store
    desk: ErasureDesk
    clock: Clock

    async def consent(self, tenant: TenantId, user_id: str) -> Consent:
        async with self.store.read(tenant) as snapshot:
            scope = await snapshot.scopes.find(user_id)
            return await snapshot.personal.consent(scope.key) if scope else {}

    async def change_consent(
        self, tenant: TenantId, user_id: str, changes: ConsentChanges
    ) -> tuple[Consent, Forgotten]:
        """Grant and revoke what is named; what a revoked purpose covered is erased."""
        now = self.clock()
        grant = Grant(source=changes.source, granted_at=now, expires_at=changes.expires_at)
        granted = [purpose for purpose, agreed in changes.purposes.items() if agreed]
        revoked = [purpose for purpose, agreed in changes.purposes.items() if not agreed]
        async with self.desk.erasing(tenant) as erasing:
            transaction = erasing.transaction
            scope = await owner(transaction, user_id, now=now)
            await transaction.scopes.touch(scope.key, erased=not _COVERING.isdisjoint(revoked))
            erased = await revoke(transaction, scope.key, revoked)
            await transaction.personal.grant(scope.key, granted, grant)
            if not _COVERING.isdisjoint(granted):
                await _derive(transaction, scope, now=now)
            consent = await transaction.personal.consent(scope.key)
            purposes: dict[str, object] = {"granted": sorted(granted), "revoked": sorted(revoked)}
            about = user_subject(tenant, user_id)
            if revoked:
                await erasing.note(Action.CONSENT_CHANGED, about, erased, now=now, **purposes)
            else:
                deed = Deed(action=Action.CONSENT_CHANGED, subject=about, facts=purposes)
                await transaction.audit.note(deed, now=now)
        return consent, await self._follow(tenant, erasing.id, erased)

    async def revoke(self, tenant: TenantId, user_id: str) -> Forgotten:
        """Revoke every consent; all that any of them covered is erased."""
        return await self._erase(Action.CONSENT_REVOKED, tenant, user_id, list(Purpose))

    async def profile(self, tenant: TenantId, user_id: str) -> Profile:
        """
        The profile of a user.

        Raises:
            ConsentMissing: The user did not agree to it, or no longer does.
            ProfileNotFound: There is none.
        """
        now = self.clock()
        async with self.store.read(tenant) as snapshot:
            scope = await snapshot.scopes.find(user_id)
            _must_hold(await snapshot.personal.consent(scope.key) if scope else {}, now)
            found = scope and await known_profile(snapshot.personal, scope.key, now=now)
        if not found:
            raise ProfileNotFound
        return found

    async def has_profile(self, tenant: TenantId, user_id: str) -> bool:
        """Whether there is a profile, and the user agrees to it."""
        try:
            await self.profile(tenant, user_id)
        except (ConsentMissing, ProfileNotFound):
            return False
        return True

    async def change_profile(
        self, tenant: TenantId, user_id: str, changes: ProfileChanges
    ) -> Profile:
        """
        Merge what is given into what is written of the profile.

        Raises:
            ConsentMissing: The user did not agree to it, or no longer does.
            ProfileTooLarge: It would have too many entries or characters.
        """
        now = self.clock()
        async with self.store.write(tenant) as transaction:
            scope = await owner(transaction, user_id, now=now)
            await transaction.scopes.touch(scope.key)
            consent = await transaction.personal.consent(scope.key)
            _must_hold(consent, now)
            before = await transaction.personal.find_profile(scope.key, now=now)
            profile = changes.applied_to(before, now=now)
            _must_fit(profile)
            if profile is not before:
                await transaction.personal.put_profile(scope.key, profile)
                about = user_subject(tenant, user_id)
                deed = Deed(action=Action.PROFILE_CHANGED, subject=about, facts={})
                await transaction.audit.note(deed, now=now)
            derived = await transaction.personal.derived(scope.key, now=now, at=now)
        return profile.with_derived(derived)

    async def restore(
        self, tenant: TenantId, user_id: str, consent: Consent, profile: Profile | None
    ) -> None:
        """
        Bring back what another store of ours knew; what is known here is not touched.

        Raises:
            ConsentMissing: The user did not agree to a profile, or no longer does.
            ProfileTooLarge: It has too many entries or characters.
        """
        now = self.clock()
        about = user_subject(tenant, user_id)
        async with self.store.write(tenant) as transaction:
            personal = transaction.personal
            scope = await owner(transaction, user_id, now=now)
            await transaction.scopes.touch(scope.key)
            known = await personal.consent(scope.key)
            granted = {purpose: consent[purpose] for purpose in sorted(consent.keys() - known)}
            for purpose, grant in granted.items():
                await personal.grant(scope.key, [purpose], grant)
            if granted:
                facts: dict[str, object] = {"granted": list(granted), "revoked": []}
                deed = Deed(action=Action.CONSENT_CHANGED, subject=about, facts=facts)
                await transaction.audit.note(deed, now=now)
                await _derive(transaction, scope, now=now)
            profiles, _ = await personal.remaining(scope.key)
            if profile is None or profiles:
                return
            _must_hold({**granted, **known}, now)
            _must_fit(profile)
            await personal.put_profile(scope.key, profile)
            deed = Deed(action=Action.PROFILE_CHANGED, subject=about, facts={})
            await transaction.audit.note(deed, now=now)

    async def erase_profile(self, tenant: TenantId, user_id: str) -> Forgotten:
        """Erase the profile; what the user agreed to stays as it is."""
        return await self._erase(Action.PROFILE_ERASED, tenant, user_id, [])

    async def _erase(
        self, action: Action, tenant: TenantId, user_id: str, purposes: Collection[Purpose]
    ) -> Forgotten:
        """Erase the profile, and revoke these purposes."""
        now = self.clock()
        async with self.desk.erasing(tenant) as erasing:
            transaction = erasing.transaction
            scope = await transaction.scopes.find(user_id)
            erased = Erased()
            if scope is not None:
                await transaction.scopes.touch(scope.key, erased=True)
                erased = await transaction.personal.erase_profile(scope.key)
                erased += await transaction.personal.revoke(scope.key, purposes)
            await erasing.note(action, user_subject(tenant, user_id), erased, now=now)
        return await self._follow(tenant, erasing.id, erased)

    async def _follow(self, tenant: TenantId, erasure_id: UUID, erased: Erased) -> Forgotten:
        """Take a profile that SQL erased out of what this process holds, and look again."""
        cached, left = 0, Left()
        if (scope := erased.scope) is not None and (erased.profiles or erased.profile_entries):
            cached, erased = self.desk.out_of_memory(erased, receipts=True)
            async with self.store.read_latest(tenant) as snapshot:
                profiles, entries = await snapshot.personal.remaining(scope)
            left = Left(count=entries + (profiles if erased.profiles else 0))
            left += await self.desk.left_on_replica(erased)
        return self.desk.receipt(erasure_id, erased, cache_entries=cached, left=left)


async def revoke(
    transaction: Transaction, scope: ScopeKey, purposes: Collection[Purpose]
) -> Erased:
    """Revoke, and erase what that covered: the profile, or what facts added to it."""
    erased = await transaction.personal.revoke(scope, purposes)
    if Purpose.PROFILE in purposes:
        erased += await transaction.personal.erase_profile(scope)
    elif Purpose.FACTS in purposes:
        erased += await transaction.personal.erase_derived(scope)
    return erased


async def _derive(transaction: Transaction, scope: Scope, *, now: datetime) -> None:
    """Have all facts that are known of a user tell of them, where they agreed to that."""
    speakers = sorted(speakers_of(scope.user_id))
    known = await transaction.memories.under(scope.key, ItemType.FACT, speakers)
    await transaction.personal.derive(scope.key, entries_of(known), now=now)


def _must_hold(consent: Consent, now: datetime) -> None:
    grant = consent.get(Purpose.PROFILE)
    if grant is None or not grant.holds(now):
        raise ConsentMissing(purpose=Purpose.PROFILE.value)


def _must_fit(profile: Profile) -> None:
    entries = len(profile.preferences) + len(profile.context)
    if entries > MOST_ENTRIES or len(profile_json(profile)) > MOST_CHARACTERS:
        raise ProfileTooLarge(max_entries=MOST_ENTRIES, max_characters=MOST_CHARACTERS)
