"""What may be told of a user: what they wrote of their profile, and what facts add to it."""

from collections.abc import Collection, Sequence
from datetime import datetime

from app.domain.ids import ConversationKey, ScopeKey
from app.domain.profile import DerivedEntry, Profile
from app.ports.personal import PersonalReader


async def known_profile(
    personal: PersonalReader,
    scope: ScopeKey,
    *,
    now: datetime,
    as_of: datetime | None = None,
    derived: bool = True,
    apart_from: Collection[ConversationKey] = (),
) -> Profile | None:
    """
    The profile, if consent to use it holds `now`; None for none.

    What was written later is not known `as_of` a moment; of facts is told what held then, unless
    they are of conversations `apart_from`, and nothing where `derived` is not wanted.
    """
    written = await personal.find_profile(scope, now=now)
    if written is not None and as_of is not None and written.updated_at > as_of:
        written = None
    entries: Sequence[DerivedEntry] = ()
    if derived:
        at = as_of or now
        entries = await personal.derived(scope, now=now, at=at, apart_from=apart_from)
    if written is None:
        if not entries:
            return None
        written = Profile(updated_at=min(each.derived_at for each in entries))
    return written.with_derived(entries)
