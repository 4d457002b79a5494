"""
What a question is put in, in a chat: "Hi there, could you please tell me … Thanks a lot!".

It says nothing of what is asked, and was looked for all the same: of 192 questions of LoCoMo
recall@10 was .815 with a greeting and thanks and .797 behind "could you please tell me". Without,
it is that of the bare questions, .839. For English, German, French and Spanish.
"""

import re

from app.text.patterns import one_of
from app.text.topic import MAX_CHARACTERS, says_something

_ASKS = (
    r"(?:if|whether|what|which|who|whose|whom|when|where|why|how|is|are|was|were|do|does|did|has"
    r"|have|had|can|could|will|would|should|in (?:what|which)|on (?:what|which)"
    r"|ob|wer|wann|wo|wie|warum|welche[rsnm]?|ist|hat"
    r"|qui|quand|o[uù]|comment|pourquoi|quel(?:le)?s?"
    r"|si|qu[eé]|qui[eé]n|cu[aá]ndo|d[oó]nde|c[oó]mo|cu[aá]l(?:es)?)\b"
)
_SO = rf"(?:ok(?:ay)?(?:[\s,]+so)?|well|um+|uh+|hm+|btw)(?:\s*[,:.!]+\s*|\s+(?={_ASKS}))"
"""Not "and" or "so", which go on from what was said before."""

GREETING = one_of(
    *("hi", "hii+", "hey+", "hello", "heya", "hallo", "hola", "bonjour", "salut", "moin", "servus"),
    *("good (?:morning|afternoon|evening|day)", "guten (?:morgen|tag|abend)", "bonsoir"),
    r"buen(?:os|as) (?:d[ií]as|tardes|noches)",
)
_WELL_MEANT = one_of(
    r"(?:i )?hope (?:you(?:'re| are)|all is|everything is) [^.!?,:]{2,20}",
    r"how are you(?: doing)?(?: today)?",
    r"(?:i have |just )?(?:a |one |another )?(?:quick|small|short) question(?: for you)?",
    r"sorry (?:to (?:bother|ask|bug)(?: you)?|for (?:asking|bothering you))(?: again)?",
    r"(?:kurze|eine|noch eine) frage", r"une (?:petite )?question", r"una pregunta",
    r"perd[oó]n", "entschuldigung", r"excusez?[- ]moi",
)  # fmt: skip
_AND_THEN = rf"\s?(?:[,:.!?]+\s*|\s+(?=(?:{_ASKS}|can\b|could\b|please\b|i\b)))"
"""Not what has a name after it, as "hello kitty" has."""

_BEGINS = re.compile(
    rf"\A[\s\u00a1\u00bf]*(?:{_SO})*"
    rf"(?:{GREETING}\b(?: (?:there|again|all|everyone)\b)?{_AND_THEN})?"
    rf"(?:{_SO})*(?:{_WELL_MEANT}\b\s?[,:.!?]+\s*)?",
    re.IGNORECASE,
)

_PLEASE = r"(?:please|pls|plz|bitte|s'il te pla[iî]t|s'il vous pla[iî]t|por favor)"
_WHO_KNOWS = one_of(
    rf"(?:can|could|would|will) (?:you|u) (?:{_PLEASE} )?"
    r"(?:tell|remind) (?:me|us)(?: again)?",
    r"do (?:you|u) (?:(?:happen to|still|by any chance) )?(?:know|remember|recall)",
    r"i(?: would|'d) (?:like|love) to know", r"i (?:want|wanted|need) to know",
    r"i(?:'m| am| was)? (?:just )?wonder(?:ing|ed)?", r"(?:do you have )?any idea",
    rf"{_PLEASE} (?:tell|remind) (?:me|us)", r"tell me", r"let me know", r"help me remember",
    rf"kannst du mir (?:{_PLEASE} )?sagen", r"wei(?:ß|ss)t du (?:noch|vielleicht)?",
    r"(?:peux|pourrais)[- ]tu me dire", r"(?:sais|te souviens)[- ]tu", r"tu te souviens",
    r"(?:me )?(?:puedes|podr[ií]as) (?:decirme|decir)", r"sabes", r"te acuerdas(?: de)?",
)  # fmt: skip
_TELL_ME = re.compile(
    rf"\A(?:{_PLEASE}[\s,]+)?{_WHO_KNOWS}(?: {_PLEASE})?[\s,:]+(?={_ASKS})"
    r"(?:(?:if|whether|ob)\s+)?",
    re.IGNORECASE,
)

THANKS = one_of(
    r"(?:please and )?(?:many )?thank(?:s| you)", "thx", "ty", "cheers", "much appreciated",
    r"i(?:'d| would| really)? appreciate (?:it|that|your help)", "danke", "vielen dank", "merci",
    "(?:muchas )?gracias",
)  # fmt: skip
HOW_MUCH = one_of(
    "so much", "very much", "a lot", "a ton", "a bunch", "in advance", "again", "sch[oö]n",
    "beaucoup", "d'avance", "im voraus", "for (?:your|the|any) help",
)  # fmt: skip
_ENDS = re.compile(
    rf"(?<=[?.!])\s*(?:{THANKS}|{_PLEASE})(?:[\s,]+{HOW_MUCH})*[\s.!:)(-]*\Z", re.IGNORECASE
)
_LOOKED_AT = 120
"""Characters at the end that are looked at for thanks."""


def without_courtesy(text: str) -> str:
    """`text` without how it greets, asks to be told, and thanks; as it is where that is all."""
    if len(text) > MAX_CHARACTERS:
        return text
    rest = _TELL_ME.sub("", _BEGINS.sub("", text))
    rest = rest[:-_LOOKED_AT] + _ENDS.sub("", rest[-_LOOKED_AT:])
    return rest if says_something(rest) else text
