"""Making a profile fit its share of a budget."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial

from app.domain.context import Format
from app.domain.profile import DerivedEntry, Profile, Section, ShownProfile
from app.ports import TokenCounter
from app.text.excerpt import beginning
from app.text.profile import profile_json, render_profile

_JOINT = 1
"""Tokens set aside for each place where entries are joined."""

_SPARE = 8
"""Tokens by which notes are made shorter at least, where they turn out too long."""


@dataclass(frozen=True, slots=True)
class Introducer:
    """
    Shows as much of a profile as there is room for: preferences and context as somebody wrote them,
    what is derived, then notes.
    """

    tokens: TokenCounter

    def introduce(self, profile: Profile, room: int, form: Format) -> ShownProfile | None:
        """
        The profile, or what of it fits into `room` tokens as it is handed over; None for nothing.

        What does not fit is left out entry by entry; of notes the beginning is shown.
        """
        if profile.is_empty or room <= 0:
            return None
        tokens = self._cost(profile, form)
        if tokens <= room:
            return ShownProfile(profile=profile, tokens=tokens, room=room, complete=True)
        shown = self._fitting(profile, room, lambda part: self._cost(part, form))
        if shown.is_empty:
            return None
        return ShownProfile(
            profile=shown, tokens=self._cost(shown, form), room=room, complete=False
        )

    def _cost(self, profile: Profile, form: Format) -> int:
        render = profile_json if form is Format.JSON else render_profile
        return self.tokens.count(render(profile))

    def _fitting(self, profile: Profile, room: int, cost: Callable[[Profile], int]) -> Profile:
        """Each entry is counted by itself, and what was taken once more as a whole."""
        nothing = Profile(updated_at=profile.updated_at)
        frame = cost(nothing)
        taken, left = [nothing], room - frame
        for added in _entries(profile):
            price = cost(added(nothing)) - frame + _JOINT
            if price <= left:
                taken.append(added(taken[-1]))
                left -= price
        while len(taken) > 1 and cost(taken[-1]) > room:
            taken.pop()
        return self._with_notes(taken[-1], profile.notes, room, cost)

    def _with_notes(
        self, shown: Profile, notes: str, room: int, cost: Callable[[Profile], int]
    ) -> Profile:
        most = room - cost(shown)
        while notes and most > 0 and (cut := _start(notes, most, self.tokens)):
            longer = replace(shown, notes=cut)
            over = cost(longer) - room
            if over <= 0:
                return longer
            most -= max(over, _SPARE)
        return shown


def _start(notes: str, room: int, tokens: TokenCounter) -> str | None:
    return notes if tokens.count(notes) <= room else beginning(notes, room, tokens.count)


def _entries(profile: Profile) -> Iterator[Callable[[Profile], Profile]]:
    """What adds each entry to a profile, by the rank of the entry."""
    for section in Section:
        for name, value in profile.written(section).items():
            yield partial(_with_written, section=section, name=name, value=value)
    for each in profile.derived:
        yield partial(_with_derived, added=each)


def _with_written(profile: Profile, *, section: Section, name: str, value: object) -> Profile:
    written = {**profile.written(section), name: value}
    if section is Section.PREFERENCES:
        return replace(profile, preferences=written)
    return replace(profile, context=written)


def _with_derived(profile: Profile, *, added: DerivedEntry) -> Profile:
    return replace(profile, derived=(*profile.derived, added))
