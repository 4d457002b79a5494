"""Names that may be those of firms where work is spoken of, though not by that word."""

import re

from app.distil.facts.values import proper
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import EMPLOYERS, NO_WORKPLACES
from app.distil.language.world import WORLD
from app.domain.entities import EntityType

_MOST_WORDS = 3
_SHORTEST = 2
_NO_FIRMS = frozenset(
    """harvard yale stanford oxford cambridge princeton berkeley cornell columbia brown dartmouth
    duke eton hogwarts sorbonne glastonbury coachella oktoberfest wacken wimbledon sundance
    roskilde lollapalooza berlinale gamescom slush web everest oma opa mama papa mum mom dad gran
    grandma grandpa level chapter step part base page stage version zero""".split()
)
"""Where one has a first day, or starts, and is not employed: studies, events, kin, parts."""

_ENDS_OF_NO_FIRMS = re.compile(
    r"(?:con|conf|conference|fest|festival|summit|expo|fair|land|world|park|camp|school|college"
    r"|university|universit\u00e4t|hochschule|schule|gymnasium|kindergarten|academy|uni|high"
    r"|elementary|gym|beach|church|rehab|cup|marathon|cours[e]|bootcamp|retreat)\Z"
)


def firm(text: str) -> str | None:
    """
    The name of a firm with which a text begins; known ones need no capital.

    None for schools, events, places and people, of which one may say the same, and for initials.
    """
    if known := known_firm(text):
        return known
    name = proper(text)
    return name if name and _may_be_firm(name) else None


def known_firm(text: str) -> str | None:
    """The same for those who are known for giving work."""
    words = list(re.finditer(r"[^\s,.;!()]+", text[:60]))[:_MOST_WORDS]
    names = [text[: each.end()] for each in reversed(words)]
    return next((each for each in names if each.casefold() in EMPLOYERS), None)


def _may_be_firm(name: str) -> bool:
    folded = name.casefold()
    first, last = folded.split()[0], folded.split()[-1]
    no_firm = first in _NO_FIRMS | NO_WORKPLACES or _ENDS_OF_NO_FIRMS.search(last)
    somebody = first in GIVEN_NAMES or "'" in name
    initials = name.isupper() or len(name) <= _SHORTEST
    return not (no_firm or somebody or initials or WORLD.get(folded) is EntityType.PLACE)
