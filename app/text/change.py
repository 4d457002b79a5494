"""How it is told that something changed: "scrap that", "turns out it leaves at six"."""

import re

from app.text.terms import terms_of

LONGEST = 600
"""Characters of what is read for it; what is longer tells of much else."""

AFTER_ALL = "after all"

OF_STOP_WORDS = re.compile(
    rf"\b(?:{AFTER_ALL}|no more|as of|not|can['\u2019n]o?t)\b", re.IGNORECASE
)
"""How it is told in words that full text leaves out."""

_DONE = (
    *("moved", "changed", "replaced", "extended", "postponed", "rescheduled", "canceled"),
    *("cancelled", "upgraded", "raised", "lowered", "increased", "reduced", "renamed", "switched"),
    *("dropped", "bumped", "upped", "swapped", "ditched", "relocated", "reverted", "migrated"),
    *("downgraded", "delayed", "doubled", "halved", "scrapped", "shortened", "shifted"),
    *("called off", "put off", "pushed back", "brought forward", "rolled back", "taken over"),
    *("decommissioned", "discontinued", "rebooked", "traded"),
)
"""What something was, and what somebody did to it."""

_DONE_BY = (
    *("stopped", "quit", "resigned", "gave up", "given up", "went with", "settled on", "sold"),
    *("settled for", "ended up", "decided on", "decided against", "got rid of", "took over"),
    *("split up", "broke up", "pushed"),
)
_GOING_ON = ("moving", "switching", "changing", "going back", "dropping")
"""How it is told that something, or somebody, has changed it, and that it is under way."""

_NEW = (
    *("number", "phone", "address", "email", "mail", "date", "time", "deadline", "plan", "price"),
    *("appointment", "slot", "room", "boss", "manager", "job", "flat", "apartment", "place"),
    *("password", "url", "link", "limit", "schedule", "name", "version", "contract", "provider"),
)
_WHEN = (
    *("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue"),
    *("wed", "thu", "fri", "sat", "sun", "tomorrow", "next", "every", "noon"),
)

_FROM = (
    r"(?:next\ \w+|tomorrow|today|(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march"
    r"|april|may|june|july|august|september|october|november|december)"
)

_ANY_DONE, _ANY_DONE_BY = ("|".join(map(re.escape, each)) for each in (_DONE, (*_DONE, *_DONE_BY)))

_CHANGES = re.compile(
    rf"""
    \b(?=[a-z'])(?: no\ longer | any\ ?more | any\ longer | instead | from\ now\ on | rather\ than
    | {re.escape(AFTER_ALL)} | these\ days | from\ \w+\ onwards?
    | (?=now)(?<!for\ )(?<!right\ )(?<!by\ )(?<!until\ )(?<!just\ )(?<!sense\ )
      now (?!\ (?:that|i|i'm)\b)
    | (?:has|have|had|was|were|are|is|got|been)\ (?:been\ )?(?:\w+\ )?(?:{_ANY_DONE}|sold|pushed)
    | (?:we|i|they|s?he|you|it)(?:'ve|'s|'d)?\ (?:(?:just|now|finally|have|had|both)\ )*
      (?:{_ANY_DONE_BY})
    | (?:{_ANY_DONE})\ (?:it|that|this|them|us|me|(?:the|my|our|his|her|their)\ [\w\ ]{{1,24}}?)
      \ (?:to|from|by|until|till|for)
    | (?:{_ANY_DONE_BY})\ (?:the|my|our|his|her|their)\ \w+
    | (?:{_ANY_DONE})\ (?:over\ )?(?:to|until|till|by) | than\ planned | been\ promoted
    | (?:is|are|am|went|gone|go|'s|'re|'m|no,)\ back\ (?:to|on|in|at|with) | no\ more\ (?!than)
    | (?:cut|cuts|trimmed)\ (?:it|that|this|them|(?:the|my|our|his|her|their)\ \w+)
      \ (?:down\ )?(?:to|by)
    | since\ the\ new | c[ao]me\ a?round\ to | (?:as\ of|starting|effective)\ (?:now|{_FROM})
    | can(?:no|')t(?:,|\ (?:come|do\ it|make\ it),?)\ so | scratch\ that | my\ mistake
    | (?:goes|went|gone|going)\ (?:up|down)\ (?:to|by)
    | (?:slips|slipped|moves)\ (?:to|by) | fell\ through | took\ over | (?:an|the)\ extension\b
    | (?:{"|".join(map(re.escape, _GOING_ON))})\ (?:away\ )?(?:from|to)
    | changed\ (?:my|our|her|his|their)\ minds?
    | second\ thoughts? | change\ of\ plans? | plans?\ changed? | correction\b
    | cancel\ (?:that|this|it) | scrap\ (?:that|this|it|the|my|our|all)
    | turn(?:s|ed)\ out | can(?:no|')t\ make\ it
    | the\ (?:right|correct)\ \w+\ is | used\ to\ (?!it|the|that|this)
    | (?=forget)(?<!n't\ )(?<!not\ )(?<!never\ )(?<!to\ ) forget\ (?:that|what\ i)
    | make\ (?:it|that|this|the)\ (?:\w+\ ){{0,3}}?(?:\d|{"|".join(_WHEN)})
    | new\ (?:\w+\ )?(?:{"|".join(_NEW)}) | (?:the\ )?new\ \w+(?:\ \w+)?(?::|\ is\b)
    | (?:my|our|his|her|their)\ new\ \w+\ (?:\w+\ )?is\b
    )\b
    | (?:\A|[.!?,;:\n]\ ?) (?:{_ANY_DONE_BY}|actually,?\ \w|update:)
    """,
    re.VERBOSE,
)

_SAID = """
    longer anymore any more instead now rather days onward mind sold back went goes going up down
    slip slipped move fell through thought change plan correction scrap turn out make right correct
    used extension took forget new actually update planned promoted cancel cut cuts trimmed come
    came starting effective scratch mistake
"""

TERMS = tuple(dict.fromkeys(terms_of(" ".join([_SAID, *_DONE, *_DONE_BY, *_GOING_ON]))))
"""Of these what tells of a change has one, unless it is OF_STOP_WORDS."""

_CHANGES_IT = re.compile(rf"\b(?:{_ANY_DONE_BY}|cuts?|trimmed) (?:it|that|this)\b")
_DENIED = re.compile(r"\b(?:is|'s|are|was|be|meant)\b[^.!?\n]{1,60}?[,(]? (?:and )?not ([\w:]+)")


def denied_in(content: str) -> str | None:
    """What was wrong, where a message names what is right: 3 of "It is Kirkegata 33, not 3"."""
    found = _DENIED.search(_plain(content)) if len(content) <= LONGEST else None
    return found[1] if found else None


def changes_it(content: str) -> bool:
    """Whether what changed is only pointed at: "Finance cut it to 15k"."""
    return bool(_CHANGES_IT.search(_plain(content)))


def tells_change(content: str) -> bool:
    """Whether a message says, in English, that something is otherwise than it was."""
    if len(content) > LONGEST:
        return False
    return bool(_CHANGES.search(_plain(content))) or denied_in(content) is not None


def _plain(content: str) -> str:
    """In small letters, with the apostrophe of a typewriter."""
    return content.lower().replace("\u2019", "'")
