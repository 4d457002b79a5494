"""
How somebody takes back what they have just said: "Actually, make it 60.", "Sorry, Wednesday.".

What is meant stands right before it, and in no word of it. So these rules hold for the next words
of whoever said that, and nowhere else; `app/text/change.py` has those that tell a change by itself.
"""

import re

from app.text.small_talk import is_small_talk
from app.text.terms import terms_of
from app.text.wording import asks

LONGEST = 120
"""Characters of such a message, at most: what is longer goes on."""

_FLAGS = re.VERBOSE | re.IGNORECASE

_OPENING = r"""
    \A\W* (?:(?:a+h|o+h|ok(?:ay)?|oops|whoops|u[hm]+|hm+|e+h|ugh|argh|hey|and|but|well|yeah|lol|omg
    |n+ah|shoot|damn|crap)\b[\s,.!\u2026-]*)*
"""
_ASKING = r"(?:(?:no[\s,]|please|let'?s|we'll|(?:can|could)\ (?:you|we))\ *)*"

_TAKES_BACK = re.compile(
    rf"""
    {_OPENING}
    (?: actually | correction | (?:scratch|scrap|strike|forget|cancel)\ (?:that|it) | rather
    | on\ (?:second|reflection)\b(?:\ thoughts?)? | (?:no,?\ )? i\ meant? | typo
    | my\ (?:bad|mistake)
    | i\ (?:lied|misspoke|misread|was\ wrong) | wrong\ (?:one|number|day|date|time|place)
    | (?:not|nope,?\ not)\ (?:him|her|it|them|that)\b(?=,)
    | korrektur | ich\ meine?te? | doch\ (?:lieber|erst|schon) | vergiss\ (?:das|es) | mein\ fehler
    | vertippt | (?:nein|ach\ nein|nee),?\ (?:doch|lieber)
    | en\ fait | je\ voulais\ dire | (?:non,?\ )?plut[o\u00f4]t | oublie\ [c\u00e7]a
    | en\ realidad | correcci[o\u00f3]n | quise\ decir | (?:no,?\ )?mejor | olv[i\u00ed]dalo
    )\b
    | ,\ actually\W*\Z | \b(?:instead|after\ all)\b(?!\ of) | \A\*\w | \A\W*s/[^/]+/[^/]*/?
    | \bmix(?:ed)?\ (?:it|this|that|them)\ up\b | \bfat\ fingers\b
    """,
    _FLAGS,
)

_ASKS_TO_CHANGE = re.compile(
    rf"""
    {_OPENING} {_ASKING}
    (?:bump|call|change|cut|drop|increase|lower|move|push|raise|reduce|rename|replace|set|shift|swap
      |switch)
    \ (?:it|that|this|them|those)\b
    """,
    _FLAGS,
)

_OTHER = re.compile(
    rf"""
    (?: \A\W* (?:o+h[\s,]+)? (?:oops|whoops|ugh|argh|n+ah|e+h)\b[\s,:\u2026-]+
    | {_OPENING}
      (?: (?:wait|sorry|sry|hang\ on|hold\ on|never\ ?mind|nvm|moment|warte|entschuldigung|pardon
        |attends?|oups|d[e\u00e9]sol[e\u00e9]e?|perd[o\u00f3]n|espera|uy|ups)\b [\s,:\u2026-]+
      | {_ASKING} (?:make|keep|call)\ (?:it|that|this|them)\b | (?:we're|i'm)\ calling\ it\b
      | let'?s\ (?:push|move|say|do|go\ with)\b | (?:scrap|scratch|strike|swap|flip)\ \w+
      )
    )
    """,
    _FLAGS,
)
"""What takes back only with another value behind it."""

_NO = re.compile(
    rf"""
    {_OPENING} (?:no+(?:pe)?|nein|nee|non)\b [\s,:\u2026-]+
    (?!problem|worries|way|doubt|kidding|idea|need|rush|that)
    """,
    _FLAGS,
)
"""The same, unless it answers."""

_VALUE = re.compile(
    r"[^.!?]*?(?:\d|\b[A-Z]\w|\b(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day|tomorrow|noon"
    r"|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|(?:lun|mar|mercre|jeu|vendre|same)di|dimanche"
    r"|lunes|martes|mi[e\u00e9]rcoles|jueves|viernes|s[a\u00e1]bado|domingo)\b)"
)
"""What may take the place of another, in the same sentence: a figure, a name, a day."""

_NAMES_VALUE = re.compile(
    r"\d|(?<=[\w,;:)] )[A-Z][\w&-]|\b(?i:(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b"
)
"""The same anywhere; what only begins a sentence has a capital in any case."""

_GOES_ON = re.compile(
    r"\b(?:still|also|another|one more|question|same (?:error|problem|issue)|not working"
    r"|(?:didn'?t|doesn'?t|does not) (?:work|help)|sorry (?:for|about|to)|thank(?:s| you))\b",
    re.IGNORECASE,
)
"""What begins in the same way and takes nothing back."""

_ADDS = re.compile(r"\A\W*(?:and|plus|also|which|while|so|then|my)\b", re.IGNORECASE)
"""What goes with what was said before it."""

_INSTEAD_OF = re.compile(r"\b(?:instead\ of|rather\ than)\ (?:the\ |an?\ )?(\w+)", re.IGNORECASE)


def takes_back(content: str, of: str, *, replying: bool = False) -> bool:
    """
    Whether a message says, in English, German, French or Spanish, that what its speaker has just
    said is otherwise.

    Args:
        content: What is said.
        of: What the same speaker said right before.
        replying: Whether it may reply to what another one said between the two: "no" does then.
    """
    said = content.replace("\u2019", "'")
    if len(said) > LONGEST or _GOES_ON.search(said) or is_small_talk(said):
        return False
    if _ASKS_TO_CHANGE.match(said):
        return True
    if asks(said):
        return False
    if other := _INSTEAD_OF.search(said):
        return not set(terms_of(other[1])).isdisjoint(terms_of(of))
    if _TAKES_BACK.search(said):
        return True
    begun = _OTHER.match(said) or (None if replying else _NO.match(said))
    return begun is not None and bool(_VALUE.match(said, begun.end()))


def may_take_back(content: str) -> bool:
    """
    Whether a brief message, right behind what its speaker said, has what may take the place of
    something in that: "the confirmation says Stansted". Whoever reads both tells.
    """
    if len(content) > LONGEST or not _NAMES_VALUE.search(content):
        return False
    goes_on = _ADDS.match(content) or _GOES_ON.search(content)
    return not (goes_on or asks(content) or is_small_talk(content))
