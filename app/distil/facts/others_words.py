"""
What of a message is not its sender's own words, though no mark quotes it.

"Translate to French: I live in …", "Anna wrote to me:", "[10:12] Bob: I work at …". Where it ends
is rarely said: what comes in lines of its own goes on to the end of the message, what stands behind
a colon to the end of its line.
"""

import re

from app.distil.language.given_names import GIVEN_NAMES

_TEXTS = (
    r"(?:e-?mails?|mail|letter|text|sms|chat|thread|transcript|conversation|bio|biography|cv"
    r"|article|(?:blog )?post|tweet|review|ticket|paragraph|passage|essay|sentence|quote|lyrics"
    r"|reply|comment|message|story|poem|grammar|spelling|typos|wording|draft)(?![\w-])"
)
_MATERIAL = re.compile(
    r"(?:\A|[.!?\n]|\b(?:please|pls|you|me))[ \t]{0,9}"
    r"(?:translate|proofread|rephrase|paraphrase|reword|rewrite|summari[sz]e|polish|shorten"
    r"|(?:correct|improve)\s+(?:this|these|my|the)"
    rf"|(?:fix|check|edit|review)\s+(?:this|these|my|the|his|her|their)\s+(?:\w+\s+)?{_TEXTS}"
    r"|make\s+(?:this|it|my|the)\b[^.!?\n:]{0,40}\b(?:sound|read|nicer|better|shorter|clearer)"
    r"|(?:reply|respond)\s+to\s+(?:this|these|his|her|their))"
    r"\b[^.!?\n:]{0,60}:\s",
    re.IGNORECASE,
)
_PLAYED = re.compile(
    r"\b(?:let's role-?play|role-?play:"
    r"|(?:pretend|imagine|suppose) (?:that )?(?:i|we)\b|pretend (?:to be|that|you)\b)",
    re.IGNORECASE,
)
_SENT_ON = re.compile(
    r"^-{3,20} ?(?:forwarded|original) message\b"
    r"|^from: [^\n]{1,200}\n(?:[a-z-]{2,12}: [^\n]{0,200}\n){0,5}?(?:subject|to|date|sent): ",
    re.IGNORECASE | re.MULTILINE,
)
_COLON_AT_END = re.compile(r":[ \t]*$", re.MULTILINE)
_LETTER = re.compile(
    r"^\W{0,4}(?:hi|hello|hey|dear)\s[^\n.!?]{1,40},\W{0,4}$|^\W{0,4}subject:\s",
    re.IGNORECASE | re.MULTILINE,
)
_LOOKED_AT = 20_000
"""Characters at the beginning, in which is looked for where own words end."""

_LOOKED_BACK = 1_000
"""Characters of a line before a place; this also bounds what hostile text can cost."""

_WROTE = (
    r"(?<!\bI )(?<!\bwe )(?<!\bthat )\b(?:(?:wrote|writes|texted|e-?mailed|mailed|messaged|posted"
    r"|tweeted|replied|answered|commented|said|says)(?: [\w'@]+){0,4}|goes)"
)
_HANDED_ON = re.compile(
    r"^(?!(?:about|regarding|re|concerning|as for|as to|for|thanks|thank)\b)"
    rf"(?![^\n]{{0,160}}\b(?:about (?:me|us|myself)\b|(?:my|our) (?:\w+ )?{_TEXTS}))"
    rf"[^\n]{{0,120}}?(?:{_WROTE}|\b{_TEXTS}[^\n:]{{0,40}}):[ \t]*$",
    re.IGNORECASE | re.MULTILINE,
)
_TOLD_ON = re.compile(
    rf"(?:{_WROTE}|\b(?:his|her|their|(?!let's)\w{{1,30}}'s) {_TEXTS}[^\n:.!?]{{0,20}})"
    r":[ \t]",
    re.IGNORECASE,
)
_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?"
_LABEL = re.compile(
    rf"[ \t]{{0,9}}(?P<time>[\[(]?(?:[\d./-]{{6,10}},? )?{_TIME}[\])]?[ ,-]{{0,3}})?"
    r"(?P<first>[^\W\d_][\w'-]{0,29})(?: [A-Z][\w'-]{0,29})?"
    rf"(?: ?[\[(](?:(?P<then>[^\])\n]{{0,16}}{_TIME})|[^\])\n]{{1,25}})[\])])?:[ \t]{{1,9}}"
)
_PARTS_PLAYED = frozenset("user assistant human bot customer agent interviewer client".split())


def end_of_own_words(content: str, *, by_program: bool = False) -> int:
    """
    Where a message goes on with what is to be worked on, was sent on, or is only played.

    So does a letter that a program drafts.
    """
    handed_on = [_HANDED_ON] if _COLON_AT_END.search(content, 0, _LOOKED_AT) else []
    letters = [_LETTER] if by_program else []
    ends = [
        found.end()
        for each in (_MATERIAL, _PLAYED, _SENT_ON, *handed_on, *letters)
        if (found := each.search(content, 0, _LOOKED_AT))
    ]
    return min(ends, default=len(content))


def is_told_on(content: str, at: int, speaker: str | None) -> bool:
    """
    Whether what begins at a place of a message stands behind a word of who else said it.

    Args:
        content: The message.
        at: The place.
        speaker: Who sent it, where a name is known: a line that it labels is their own.
    """
    line = content[max(0, at - _LOOKED_BACK) : at].rpartition("\n")[2]
    return bool(_TOLD_ON.search(content, at - len(line), at)) or _is_labelled(line, speaker)


def _is_labelled(line: str, speaker: str | None) -> bool:
    found = _LABEL.match(line)
    if not found:
        return False
    first, own = found["first"].casefold(), (speaker or "").casefold().split()
    of_somebody = first in GIVEN_NAMES or first in _PARTS_PLAYED
    return bool(of_somebody or found["time"] or found["then"]) and first not in own[:1]
