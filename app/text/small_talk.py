"""
What asks for nothing: "Hi there!", "Thanks, bye!", "OK, sounds good".

Whoever sends every message of a chat as a query sends these, too, and they are alike to whatever
else was said in passing. For English, German, French and Spanish.
"""

import re
from functools import lru_cache
from unicodedata import normalize

from app.text.courtesy import GREETING, HOW_MUCH, THANKS
from app.text.leaning import leans
from app.text.patterns import one_of

_MAX_CHARACTERS = 80
"""Who says more says something."""

_BYE = one_of(
    "(?:good ?)?bye(?: ?bye)?", "good ?night", "cheerio", "farewell", "ttyl", "brb",
    "(?:see|c) (?:you|u|ya)(?: (?:later|soon|tomorrow|then|again|around))*",
    "(?:talk|speak) to (?:you|u) (?:later|soon|tomorrow)", "take care", "sleep well",
    "(?:have|enjoy) (?:a|your) (?:(?:nice|good|great|lovely) )?(?:one|day|evening|night|weekend)",
    "tsch(?:ü|ue)(?:ss|ß|s)i?", "tschau", "ciao", "gute nacht", "auf wiedersehen", "mach'?s gut",
    "bis (?:bald|später|morgen|dann|gleich)", "schönen? (?:tag|abend|wochenende)(?: noch)?",
    "au revoir", "[aà] (?:bient[oô]t|demain|plus(?: tard)?)", "bonne (?:nuit|journée|soirée)",
    "adi[oó]s", "cha[ou]", "hasta (?:luego|pronto|mañana)", "nos vemos", "buenas",
)  # fmt: skip
_THANKS = one_of(
    rf"(?:thanks )?{THANKS}", "thank u", "tysm", "tx", "(?:(?:vielen|besten|tausend|lieben) )+dank",
    "dankesch[oö]n", "mille mercis", "much[ií]simas gracias", "mil gracias",
)  # fmt: skip
_FOR_WHAT = one_of(
    HOW_MUCH, "very", "dir", "ihnen", "sehr", "vielmals", "bien", "infiniment", "à (?:toi|vous)",
    "por todo",
    "for (?:that|this|everything|asking|(?:all )?(?:your|the) (?:help|answers?|time|info|tips?))",
)  # fmt: skip
_ALL = one_of(
    *("there", "again", "all", "everyone", "everybody", "guys", "folks", "friend", "buddy"),
    *("mate", "man", "dude"),
)
_HOW_ARE_YOU = one_of(
    "how are (?:you|u|things)(?: all)?(?: doing| going)?(?: today| tonight)?", "how do you do",
    "how(?:'s| is|s) (?:it|everything|life)(?: going)?(?: today)?",
    "what'?s up", "sup", "wass?up",
    "i(?:'m| am) (?:doing )?(?:fine|good|ok(?:ay)?|great|well)"
    "(?:[ ,.!]{1,3}(?:and|how about) you)?",
    "(?:nice|good|great|pleased) to (?:meet|see|hear from) you", "(?:are )?you there",
    "(?:i )?hope you(?:'re| are) (?:doing )?(?:well|fine|ok)", "welcome(?: back)?",
    "wie geht(?:'?s| es)(?: (?:dir|ihnen|euch))?(?: heute)?", "mir geht(?:'?s| es) gut",
    "comment (?:[cç]a va|vas[- ]tu|allez[- ]vous)", "[cç]a va(?: bien)?", "enchantée?",
    "qu[eé] tal(?: est[aá]s)?", "c[oó]mo (?:est[aá]s?|te va|va(?: todo)?)", "encantad[oa]",
)  # fmt: skip
_HOW = one_of("very", "so", "really", "pretty", "just", "that(?:'s| is|s| was)", "it's", "sounds")
_WELL = one_of(
    "good", "great", "perfect", "nice", "cool", "awesome", "amazing", "excellent", "fantastic",
    "wonderful", "brilliant", "lovely", "fine", "super", "toll", "prima", "perfekt", "klasse",
    "genial", "(?:sehr |alles )?gut", "passt(?: so)?", "parfait", "génial", "(?:très )?bien", "top",
    "perfecto", "estupendo", "excelente", "muy bien",
)  # fmt: skip
_PRAISE = one_of(
    rf"(?:{_HOW} )*{_WELL}(?: (?:idea|point|job|work|one))?", "well done", "sounds like a plan",
    "(?:i )?love it", "works for me", "congrat(?:s|ulations)", "not bad", "all good",
    "enhorabuena", "felicidades", "glückwunsch", "félicitations",
)  # fmt: skip
_UNDERSTOOD = one_of(
    "ok(?:ay|ey|i)?(?: then)?", "kk?", "all ?right(?: then)?", "(?:i )?got it", "gotcha",
    "i see", "(?:i )?(?:totally )?understand", "understood", "makes sense", "will do", "np",
    "(?:i(?:'ve| have)? )?(?:noted|saved)(?: (?:it|that|this))?(?: down)?", "(?:all )?done",
    "i(?:'ll| will)? (?:remember|keep) (?:it|that|this)(?: in mind)?", "right", "agreed",
    "no (?:problem|worries|prob)(?: at all)?", "you(?:'re| are|r) (?:very |most )?welcome",
    "my pleasure", "any ?time", "never ?mind", "don't mention it", "sorry", "my bad", "oops",
    "that(?:'s| is) (?:all|it)(?: for (?:now|today))?",
    "alles klar", "verstanden", "kein problem", "keine ursache", "gern geschehen",
    "bitte (?:sehr|schön)", "stimmt", "d'accord", "ça marche", "compris", "entendu",
    "pas de (?:problème|souci)s?", "de rien", "je (?:t'en|vous en) prie",
    "vale", "entendido", "apuntado", "de acuerdo", "de nada", "(?:no hay|sin) problema",
    "no pasa nada",
)  # fmt: skip
_SOUND = one_of(
    "lol", "lmao", "rofl", "(?:ha)+h?", "(?:he){2,}", "(?:ja){2,}", "h+m+", "u[hm]+", "a+h+", "aha",
    "o+h+", "wo+w", "yay", "phew", "xd+", "<3+", "[:;=]['-]?[dpo3]",
)  # fmt: skip

_FILLER = re.compile(
    r"(?<![\w'])"
    + one_of(
        rf"{one_of(GREETING, _THANKS, _BYE)}(?:[ ,.!]{{1,3}}{_FOR_WHAT})*(?:[ ,.!]{{1,3}}{_ALL})?",
        *(_HOW_ARE_YOU, _UNDERSTOOD, _PRAISE, _SOUND),
    )
    + r"(?![\w'])"
)
"""In small letters: to match both takes three times as long."""

_ANSWER = re.compile(
    r"\b"
    + one_of(
        "ye(?:s|ah|p)", "yup", "no(?:pe)?", "sure(?: thing)?", "of course", "absolutely",
        "definitely", "ja", "nein", "doch", "klar", "natürlich", "oui", "non", "bien sûr", "s[ií]",
        "claro(?: que s[ií])?", "por supuesto",
    )
    + r"\b"
)  # fmt: skip
"""What may answer a question, and lean on it."""


def is_small_talk(message: str) -> bool:
    """
    Whether it says nothing besides, in a few words or none at all: signs, or blanks.

    "Yes" alone leans on what was said, as "Go on" and "Why?" do, and so is none.
    """
    said = message.strip()
    return len(said) <= _MAX_CHARACTERS and _says_nothing(said)


@lru_cache(maxsize=4_096)
def _says_nothing(message: str) -> bool:
    """The same of what is short: the messages of one memory are read again with each question."""
    said = normalize("NFC", " ".join(message.split())).replace("\u2019", "'").lower()
    rest = _FILLER.sub("", said)
    if not _says_anything(rest):
        return True
    return not _says_anything(_ANSWER.sub("", rest)) and not leans(message)


def _says_anything(text: str) -> bool:
    return any(map(str.isalnum, text))
