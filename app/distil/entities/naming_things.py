"""What a sentence says a thing is called, where the name has no capital: "is called frost-wren"."""

import re
from collections.abc import Iterator

_THING = r"""(?:server|host|machine|box|laptop|router|node|cluster|instance|environment|database
    |bucket|queue|topic|service|microservice|project|repo|repository|package|library|branch|release|device
    |robot|ship|boat|prototype)"""
_CALLED = re.compile(
    rf"""
    \b{_THING}
    (?: \s+(?:is|was|will\s+be|has\s+been)\s+(?:(?:now|still|also|just)\s+)?called
      | ,?\s+(?:(?:is|was|will\s+be|has\s+been)\s+)?(?:(?:now|still|also|just)\s+)?
        (?:named|nicknamed|dubbed|code-?named) )
    \s+(?P<name> [a-z][a-z0-9]{{1,20}}(?:-[a-z0-9]{{1,20}}){{1,3}} )
    (?= \s*(?:\Z|[,;!?\n)]|\.(?!\w)|\s[\u2013\u2014-]\s)
      | \s+(?:and|but|or|in|on|at|for|from|since|because|which|that|who|it|is|was|runs?|has)\b )
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""Of things that people invent names for, and with a phrase that ends behind the name."""

_TELLS_A_NAME = re.compile(r"called|named|dubbed", re.IGNORECASE)
"""Without one of these nothing is looked for: most sentences have none."""

_ADDS = re.compile(
    r"(?:well|so|self|non|pre|post|re|co|anti|sub|semi|high|low|long|short|open|full|half|ever|all"
    r"|on|off|in|out|up|down|over|under|by|back)-"
    r"|.*-(?:based|like|friendly|related|free|ready|only|style|wide|specific|driven|known|called"
    r"|first|level|time|term|up|off|out|in|down|on|over|to)\Z"
)
"""What adds to another word: "well-known", "cloud-based", "on-call"; no name but by chance."""


def things_named(text: str, start: int, stop: int) -> Iterator[tuple[int, int]]:
    """Where in a sentence the hyphenated names without a capital stand that a thing has."""
    if not _TELLS_A_NAME.search(text, start, stop):
        return
    for found in _CALLED.finditer(text, start, stop):
        if found["name"].islower() and not _ADDS.match(found["name"]):
            yield found.span("name")
