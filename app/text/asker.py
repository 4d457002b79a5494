"""
"The user", as a model calls who asks: "What is the user's dog called?" is "What is my dog called?".

What people say of themselves has "I" and "my" in it. Applications have users, too, of whom their
developers ask, so what is asked is looked for in both forms, and only "the user" is who asks, or
the "user" that a query begins with.
"""

import re

from app.text.patterns import one_of

_READ = 1_000
"""Characters of a query in which it is looked for."""

_OF_APPLICATIONS = one_of(
    *("accounts?", "agents?", "agreements?", "apis?", "authentication", "base", "data"),
    *("endpoints?", "experience", "flows?", "groups?", "guides?", "ids?", "input", "interfaces?"),
    *("interviews?", "login", "manuals?", "models?", "modes?", "passwords?", "permissions?"),
    *(r"profile\s+pages?", "registration", "research", "roles?", "schemas?", "services?"),
    *("sessions?", "stor(?:y|ies)", "tables?"),
)
_OF_ANYBODY = rf"(?:names?|who|whom|whose|\#?\d\w*|{_OF_APPLICATIONS})\b"
"""The user's name is that of who asks, a user name is none."""

_RIGHT_AFTER_AUXILIARY = {
    "does": "do", "doesn't": "don't", "has": "have", "hasn't": "haven't", "is": "am",
    "isn't": "aren't",
}  # fmt: skip
_AUXILIARY = one_of(
    "(?:did|does|do|has|have|had|is|was|would|could|should|might|must)(?:n['\u2019]t)?",
    *("will", "won['\u2019]t", "can(?:['\u2019]t|not)?"),
)
_CONJUNCTION = one_of(
    *("that", "when", "what", "how", "why", "where", "which", "if", "because", "and", "who"),
    *("whether", "while", "whom"),
)
_PREPOSITION = one_of(
    *("about", "against", "at", "between", "by", "for", "from", "like", "of", "on", "than", "to"),
    *("with", "without"),
)
_AHEAD = rf"""
(?P<ahead>
    (?: (?P<subject>(?:\A|[.?!:;,(])\s*) | \b(?P<conjunction>{_CONJUNCTION})\s+
    | \b(?P<auxiliary>{_AUXILIARY})\s+ | \b(?P<preposition>{_PREPOSITION})\s+
    | \b(?P<asked>(?:what|where|when|who|how|why))(?P<is>['\u2019]s)\s+
    )?
)
"""

_RIGHT_AFTER_I = {
    "is": "am", "isn't": "am not", "has": "have", "hasn't": "haven't", "does": "do",
    "doesn't": "don't", "goes": "go", "studies": "study",
} | {
    f"{each}s": each
    for each in """
    dislike drink eat enjoy feel get hate keep know like live love make mean need own plan play
    prefer say speak take think travel use want work
    """.split()
}  # fmt: skip
_VERB = one_of(
    *(each.replace("'", "['\u2019]") for each in _RIGHT_AFTER_I),
    *"was wasn['\u2019]t had did will would can cannot can['\u2019]t could may should".split(),
    *"asked bought got loved liked lived made mentioned met moved said saw told took".split(),
    *("visited", "wanted", "went", "worked"),
)
_OFTEN = one_of(
    *("already", "also", "always", "currently", "ever", "just", "never", "now", "often", "really"),
    *("still", "usually"),
)
_LIKES = r"\s+likes\s+(?:and|or|&)\s+dislikes\b"

_USER = re.compile(
    rf"""
    (?: \A\s*(?P<bare>user) (?=['\u2019]s\b|\s+(?!(?:at|for|from|in|of|on|that|to|with)\b)\w)
    | {_AHEAD} \bthe\s+user
    )
    (?: (?P<whose>['\u2019]s)(?!\s+{_OF_APPLICATIONS}\b) | (?!\s+{_OF_ANYBODY}) )
    (?! [\w'\u2019/-] | \.\w )
    (?: (?!{_LIKES}) (?P<between>\s+(?:{_OFTEN}\s+)?) (?P<verb>{_VERB}) (?![\w-]) )?
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""No part of a name, such as "user_id", nor of a word that has two, such as "user interface"."""

_THINGS = re.compile(
    rf"{_LIKES}|\s+(?:birthday|favou?rites?|goals?|hobb(?:y|ies)|interests?|preferences?|profile)\b",
    re.IGNORECASE,
)
_AND = re.compile(r"\s+(?:and|or)\b", re.IGNORECASE)


def in_first_person(query: str) -> str | None:
    """A query as who is asked about would ask it; None where it calls nobody "the user"."""
    read = _beginning(query)
    if "user" not in read.casefold():
        return None
    told, times = _USER.subn(_as_asker, read)
    return told + query[len(read) :] if times else None


def _beginning(query: str) -> str:
    """What is read of it: of a long one no part of a word."""
    begins = query[: _READ + 1]
    if len(begins) <= _READ:
        return query
    return begins.removesuffix("".join(begins.rsplit(None, 1)[-1:]))


def _as_asker(found: re.Match[str]) -> str:
    """What stands ahead, and who asks: whose something is, who does it, or to whom it is done."""
    ahead, verb = found["ahead"] or "", found["verb"] or ""
    behind = f"{found['between']}{_agreeing(verb, _RIGHT_AFTER_I)}" if verb else ""
    if found["whose"] or _has_something(found):
        return f"{ahead}my{found['between'] or ''}{verb}"
    if found["auxiliary"]:
        return f"{_agreeing(ahead.rstrip(), _RIGHT_AFTER_AUXILIARY)} I{behind}"
    if found["asked"]:
        return f"{found['asked']} am I{behind}"
    acts = found["bare"] or found["subject"] is not None or found["conjunction"]
    if acts or (verb and not found["preposition"]):
        return f"{ahead}I{behind}"
    return f"{ahead}me{found['between'] or ''}{verb}"


def _has_something(found: re.Match[str]) -> bool:
    """Whether "user preferences" are meant, which are the user's."""
    if found["verb"]:
        return False
    if found["bare"]:
        return not _AND.match(found.string, found.end())
    return bool(_THINGS.match(found.string, found.end()))


def _agreeing(word: str, right: dict[str, str]) -> str:
    """The form of it that goes with "I"."""
    return right.get(word.casefold().replace("\u2019", "'"), word)
