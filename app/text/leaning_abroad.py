"""
What leans on what was said before in German, French and Spanish: "Und das andere?", "Et l'autre ?".

Narrower than the rules for English, of which `app/text/leaning.py` tells: a query has to begin as
one that leans does in its language, so that no other language is taken for it ("comment", "war").
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

_GOING_ON, _POINTING = 2, 1
"""Words that tell what it is about, at most, of what goes on, and of what points back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tongue:
    """
    How a language leans: how what `goes_on` and what `asks` begins, words that `point` back, words
    that `say_nothing` of what is meant, and those of them that are a question `alone`.
    """

    goes_on: re.Pattern[str]
    asks: re.Pattern[str]
    points: re.Pattern[str]
    say_nothing: frozenset[str]
    alone: frozenset[str]

    def leans(self, query: str, words: Sequence[str]) -> bool:
        """Whether a query of these `words`, in lower case, does."""
        begun = query.lstrip()
        telling = sum(word not in self.say_nothing for word in words)
        if self.goes_on.match(begun):
            return telling <= _GOING_ON
        if not self.asks.match(begun):
            return False
        if not telling:
            return len(words) > 1 or words[0] in self.alone
        return telling <= _POINTING and bool(self.points.search(begun))


def _tongue(*, goes_on: str, asks: str, points: str, say_nothing: str, alone: str) -> Tongue:
    return Tongue(
        goes_on=re.compile(goes_on, re.IGNORECASE),
        asks=re.compile(asks, re.IGNORECASE),
        points=re.compile(points),
        say_nothing=frozenset(say_nothing.split()),
        alone=frozenset(alone.split()),
    )


GERMAN = _tongue(
    goes_on=r"(?:(?:und|aber) )?(?:was ist mit|wie (?:sieht|steht) es mit"
    r"|(?:das gleiche|dasselbe) (?:für|bei|mit))\b|(?:und|aber|dann|auch)\b(?!\s+(?:ich|wir)\b)",
    asks=r"(?:was|wer|wen|wem|wie|wo|wohin|woher|wann|warum|wieso|weshalb|welche[rsn]?)\b"
    r"|(?:ist|war|sind|waren|hat|gilt|kostet) (?:er|sie|es|das)\b"
    r"|(?:der|die|das|den|dem) (?:andere|erste|zweite|dritte|letzte)[nrs]?\b",
    points=r"(?<!gibt )(?<!gab )(?<!geht )\bes\b|\b(?:er|ihn|ihm|sie)\b"
    r"|\b(?:das|davon|damit|dafür|dort|dazu)(?=\W*\Z)|\bwar (?:noch ?mal|denn|noch) mit\b"
    r"|\b(?:hast|hattest) du (?:\w+ ){0,3}(?:vorgeschlagen|empfohlen|geraten)\b",
    say_nothing="""
    und aber dann auch noch sonst so denn eigentlich genau der die das den dem des ein eine einen er
    sie es ihn ihm ihnen dies dieser diese dieses was wer wen wem wie wo wohin woher wann warum
    wieso weshalb welche welcher welches welchen ist sind war waren wird wurde hat haben hatte in im
    an am auf für mit von zu zum zur bei aus nach über um viel viele lange oft andere anderer
    anderes anderen erste erster erstes ersten zweite zweiter zweites zweiten dritte letzte letzten
    beide beiden davon damit dafür dort da dazu nicht sieht steht aus gleiche dasselbe kostet kosten
    kostete heißt heisst heißen passiert passierte bedeutet nochmal mal mir hast hattest
    vorgeschlagen empfohlen geraten
    """,
    alone="warum wieso weshalb wann wo wohin woher",
)

FRENCH = _tongue(
    goes_on=r"(?:et|mais|alors|puis)\b(?!\s+(?:je|j|nous|on)\b)|qu['\u2019]en est-il\b"
    r"|pareil (?:pour|avec)\b",
    asks=r"(?:qui|que|quoi|quels?|quelles?|comment|combien|où|quand|pourquoi|est-ce)\b|qu['\u2019]"
    r"|(?:l['\u2019]|les? |la )(?:autres?|premi(?:er|ère)|deuxième|seconde?|derni(?:er|ère))\b"
    r"|c['\u2019](?:est|était)\b",
    points=r"(?<!s['\u2019])\bils?\b(?! (?:y a|faut)\b)"
    r"|\b(?:elles?|[çc]a|cela|ceux|celles?|celui)\b"
    r"|\btu (?:m['\u2019]|nous )?(?:as|avais) (?:recommandé|conseillé|proposé|suggéré)\b",
    say_nothing="""
    et mais alors puis aussi le la les l un une des du de d au aux à en il elle ils elles lui y ce
    cet cette ces c ça cela celui celle ceux qui que quoi qu quel quelle quels quelles comment
    combien où quand pourquoi est sont était étaient a ont avait été pour par avec dans sur chez
    autre autres premier première deuxième second seconde dernier dernière même deux s se t ne n pas
    plus pareil ca coute coûte coûtent coûtait coûté passe passé appelle signifie encore exactement
    m nous as avais recommandé conseillé proposé suggéré
    """,
    alone="pourquoi quand combien où",
)

SPANISH = _tongue(
    goes_on=r"\u00bf?(?: ?y )?(?:qu[ée] (?:hay|pasa|tal) (?:de|con)|lo mismo (?:para|con))\b"
    r"|(?:\u00bf ?y|y(?= (?:el|la|l[oa]s|en|de|con|para|por|a|al|qu[ée]|qui[ée]n(?:es)?|c[óo]mo"
    r"|cu[áa](?:l|les|ndo|nt[oa]s?)|d[óo]nde|(?-i:[^\W\d_a-z]\w+))\b)"
    r"|\u00bf?(?:pero|entonces|también))\b(?! (?:yo|nosotros)\b)",
    asks=r"\u00bf?(?:(?:por|de|con|para|a) )?(?:qu[ée]|qui[ée]n(?:es)?|cu[áa]l(?:es)?)\b"
    r"|\u00bf?(?:c[óo]mo|d[óo]nde|cu[áa]ndo|cu[áa]nt[oa]s?)\b"
    r"|\u00bf?(?:el|la|los|las) (?:otr[oa]s?|primer[oa]|segund[oa]|últim[oa])\b",
    points=r"\b(?:él|ella|ellos|ellas|esto|eso|aquello)\b",
    say_nothing="""
    y pero entonces también el la los las lo un una de del al a en con por para él ella ellos ellas
    le les se este esta esto ese esa eso aquello qué que quién quiénes cuál cuáles cómo dónde cuándo
    cuánto cuánta cuántos cuántas es son era eran fue fueron está están estaba hay ha no sí más otro
    otra otros otras primero primera segundo segunda último última mismo misma ambos tal cuesta
    cuestan costó costaron vale valen pasa pasó llama llaman significa dura vive me
    recomendaste recomendó sugeriste propusiste aconsejaste
    """,
    alone="dónde donde cuándo cuando cuánto cómo",
)

TONGUES = (GERMAN, FRENCH, SPANISH)
