"""How much a message matters, what kind it is, and which words tell its topic, by rules."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from app.distil.language.sentences import Sentence, sentences_of
from app.distil.language.utterance import Utterance
from app.text.identifiers import parts
from app.text.scripts import UNSPACED

MAX_CHARACTERS = 4_000
"""Of a message that are read for its kind; topic words come from them too."""

MAX_TOPICS = 5


class Kind(StrEnum):
    """What a message mostly is, by what matters most in it."""

    DECISION = "decision"
    COMMITMENT = "commitment"
    CORRECTION = "correction"
    PREFERENCE = "preference"
    NUMBER = "number"
    CODE = "code"
    NAME = "name"
    STATEMENT = "statement"
    QUESTION = "question"
    SMALL_TALK = "small talk"


IMPORTANCE = {
    Kind.DECISION: 9,
    Kind.COMMITMENT: 8,
    Kind.CORRECTION: 8,
    Kind.PREFERENCE: 7,
    Kind.NUMBER: 7,
    Kind.CODE: 6,
    Kind.NAME: 6,
    Kind.STATEMENT: 4,
    Kind.QUESTION: 3,
    Kind.SMALL_TALK: 1,
}
"""Of 1 to 9; 10 means pinned, which only a caller may do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tag:
    """A message's kind, its importance from 1 to 9, and at most five topic words, best first."""

    kind: Kind
    importance: int
    topics: Sequence[str]


_DECISION = re.compile(
    r"""
    \b(?: (?=[adso])(?<!n't\ )(?<!\bnot\ )(?<!\byet\ )(?<!\bnever\ )
      (?:decided | agreed\ (?:on|to|that) | settled\ on | opted\ for)
    | decision\ is | going\ with
    | (?:we|i)(?:'ve|\ have)?\ (?:chose|chosen|picked|selected|approved|booked|ordered|switched
    |migrated)
    | went\ with | let'?s\ (?:go\ with|use|stick\ with|set) | we'll\ (?:go\ with|use) |
    final(?:ly)?\ answer
    | from\ now\ on | it\ is\ settled
    | no\ longer(?!\ (?:care|know|matters?|think|feel|remember|sure|want|see|understand
      |believe)\b)
    | must\ be | (?:is|are)\ confirmed | we\ switched
    | (?:is|are|was|were|i've|i|we|we've)\ (?:now\ )?(?:ordered|booked|reserved|refunded|cancelled
    |deployed
    |released|merged(?!\ (?:into|onto)\ (?:the\ )?(?:traffic|motorway|highway|lane))|parked|signed
    |sent|dropped(?!\ (?:my|his|her|their|an?|off|by|out|it|in)\b))
    | then\ \w+(?:\ \w+)?\ instead
    | entschieden | gekündigt | reserviert | bestellt | gebucht | beschlossen | decidido |
    hemos\ elegido | décidé )\b
    | ^(?:booked|agreed|approved|confirmed|decided|merged|done\ deal)\b | 决定 | 決め
    """,
    re.VERBOSE,
)
_CHOSEN = re.compile(
    r"""
    (?:\A|[,;:\u2013\u2014-]\ )(?:(?:ok|okay|so|then|well|alright|fine|great)\W+){0,2}
    (?!(?:\w+\ )?(?:yes|yeah|yep|no|maybe|perhaps|sure|of|course|what|that|this|how|where|who|why
    |when|which|whatever|as|like|because|since|if|and|but|or|think|guess|believe|know|here|there
    |indeed|probably|possibly|definitely|actually|only|than)\ )
    (?:\w+\ )?\w+\ it\ is(?=(?:\ (?:then|now))?(?:[,;:.!]|\W*\Z))
    """,
    re.VERBOSE,
)
_COMMITMENT = re.compile(
    r"""
    \b(?: (?:i|we)(?:'ll|\ will)\ (?!be\ (?:fine|ok|right\ back)|see\b|think\b|say\b) | i\ promise |
    i\ take\ (?:it|care|the)
    | (?<!\bno\ )(?<!\bwithout\ a\ )deadline | due\ (?:on|by|date)
    | by\ (?:monday|tuesday|wednesday|thursday|friday|saturday
    |sunday
    |tomorrow|the\ end\ of|next\ week|eod) | i(?:'m|\ am)\ going\ to(?!\ (?:bed|sleep)\b) )\b
    """,
    re.VERBOSE,
)
_CORRECTION = re.compile(
    r"""
    \A(?:no,|no\ wait\b(?=.{0,80}\d)|nope,|actually,?|wait,|sorry,\ i\ meant|correction\b
    |scratch\ that)
    | \b(?:i\ meant|i\ misspoke|that's\ (?:wrong|not\ right|not\ correct)|that\ was\ wrong
    |i\ was\ wrong
    |instead\ of\ the|not\ the\ \d+\w*\b|rather\ than|it's\ not\ \w+,?\ it's)\b
    """,
    re.VERBOSE,
)
_PREFERENCE = re.compile(
    r"""
    \b(?: i\ (?:really\ )?(?:prefer|like|love|hate|dislike|don't\ (?:like|eat|drink|want)
    |can't\ stand)
    | \A(?:so|then|and|but)?\ ?no\ (?!problem|idea|thanks|worries|wonder|one|need|way|hurry|rush
    |doubt)\w+
    | i'd\ rather | \A(?:make|keep|use|set|avoid|leave|turn)\ \w+ | \Athen\ (?:make|keep|use|set
    |turn)\ \w+
    | my\ favou?rite | (?:please\ )?(?:always|never)\ [a-z]+ | allergic | vegan | vegetarian
    | please\ (?:no|don't) | no\ \w+\ please | call\ me )\b
    """,
    re.VERBOSE,
)
_IDENTIFIER = re.compile(
    r"""
    `[^`\n]{2,60}`
    | \b(?: [A-Z][A-Z0-9]{0,20}[-_][A-Z0-9_-]{0,30}\d[A-Z0-9_-]{0,20} | \d{3,8}-\d{3,8}
    | (?=\w{0,60}\d)[A-Z][A-Z0-9]{7,60} | \w{1,60}_\w{1,60} | \d{1,4}\.\d{1,4}\.\d{1,4}
    | [a-z]{1,40}[A-Z]\w{1,60} | (?:[A-Z][a-z]{1,30}){2,6}\.\w{1,60} | 0x[0-9a-fA-F]{2,40} )\b
    """,
    re.VERBOSE,
)
_NUMBER = re.compile(
    r"(?<!\d)\d[\d.,:]{0,15}\s?(?:%|€|\$|£|percent|euros?|dollars?|francs?|pounds?|km|kg|gb|mb|ms|minutes?|hours?|seconds?"
    r"|days?|weeks?|people|amps?)\b|[€$£]\s?\d|\b\d{1,2}:\d\d\b|\b\d{3,20}\b|\d\s?%"
    r"|\b\d{1,2}(?:st|nd|rd|th)?\.?\s(?:of\s)?[A-Z][a-z]{2,8}\b",
    re.IGNORECASE,
)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+(?:\s[A-Z][a-z]+)?|\b(?:is called|is named|my name)\b")
_ADDRESSED = re.compile(
    r"""
    ,\s[A-Z][a-z]+(?=\s*(?:[!.?]+\W*\Z|,))
    | (?<=\A)(?i:hey|hi|hello|dear|wow|w(?:oah|hoa)|oh|aw+|yeah|yep|yup|thanks|thank\ you|congrats
        |congratulations|absolutely|definitely|totally|great|nice|cool|awesome|sorry)
      [ ,]{1,2}[A-Z][a-z]+(?=\s*(?:[,!.-]|\Z))
    """,
    re.VERBOSE,
)
"""Whom a sentence speaks to: "Thanks, Anna!" names nobody."""

_ANSWER = re.compile(r"(?:yes|no|ok|okay|sure|right|agreed|done|exactly)\b", re.IGNORECASE)
"""Behind these a name may be what is said: "Yes, Redis."."""

_SMALL_TALK = re.compile(
    r"""
    (?: \W | \b(?: hi | hello | hey | thanks | thank\ you | so\ much | a\ lot | you're\ welcome |
    welcome | ok
    | okay | sure | great | nice | lovely | perfect | cool | wow | lol | yes | no | yeah |
    good
    | morning | evening | night | bye | how\ are\ you |
    see\ you(?:\ (?:tomorrow|later|soon|then|there|around|next\ week|on\ \w{3,6}day))?
    | i'm\ fine | fine | done | gladly
    | happy\ to\ help | of\ course | please | sorry | congratulations | well\ done | sent | ha |
    noted
    | got\ it | makes\ sense | no\ problem | exactly | right | agreed\? | very\ kind
    | congrats | absolutely | definitely | totally | for\ sure | that's | that\ is | it's
    | (?:that\ )?sounds | so | very | really | such | super | amazing | incredible | fantastic
    | beautiful | glad | to\ hear(?:\ that|\ it)? | love\ (?:it|that) | same\ here | me\ too
    | you\ too | aww? | oh | woah | whoa | yep | yup | yay | (?:proud\ of|happy\ for)\ you
    | take\ care | no\ worries | keep\ (?:it|that)\ up | keep\ up\ the\ \w+\ work
    | you(?:'re|\ are)\ (?:doing\ )?(?:so\ |an?\ )?(?:amazing|awesome|great|fantastic|inspiring
    |the\ best)(?:\ job|\ work)? | talk\ (?:to\ you\ )?(?:soon|later)
    | (?:i\ )?appreciate\ (?:it|that|you) | means\ a\ lot
    | (?:ba)?ha(?:ha)+h? | he(?:he)+ | lmf?ao+ | rofl | xd+ | (?<=:)[dpo]
    | thx+ | thanx | tnx | ty(?:sm|vm)? | np | kk? | brb | (?:i(?:'ll|\ will)\ )?be\ right\ back
    | nvm | never\ ?mind | gn8? | gm | sup | same | nope | nice\ one
    | everyone | everybody | guys | folks | for\ (?:all\ )?(?:your|the)\ help
    | excellent | brilliant | exciting | interesting | impressive | understood | alright | indeed
    | (?:good|great|nice|excellent|smart)\ (?:choice|progress|idea|plan|call|question|point|news)
    | how\ (?:exciting|nice|lovely|sweet|cool|wonderful|interesting) | will\ do
    | wonderful | awesome | cheers | sleep\ well | have\ a | day | weekend | warm | winter |
    too )\b )+
    """,
    re.VERBOSE,
)
_READ = 400
"""Characters of a sentence."""

_FENCE = re.compile(r"^\s*(?:```|~~~)", re.MULTILINE)
_LETTERS = re.compile(r"[^\W\d_]")
_PLAIN = re.compile(r"[^\W\d_]{2,40}")
_SHORTEST = 3
_LONGEST = 6
"""Characters of a run without spaces that may be one word."""


def tag(said: Utterance) -> Tag:
    """The tag of a message; an empty one is small talk."""
    content = said.content[:MAX_CHARACTERS]
    sentences = sentences_of(content)
    kinds = [kind_of_sentence(each) for each in sentences]
    if _FENCE.search(content):
        kinds.append(Kind.CODE)
    kind = max(kinds, key=lambda each: IMPORTANCE[each], default=Kind.SMALL_TALK)
    importance = IMPORTANCE[kind]
    if kind is not Kind.CODE and 1 < importance < 9 and _IDENTIFIED.holds(content):
        importance += 1
    return Tag(kind=kind, importance=importance, topics=topics_of(content))


@dataclass(frozen=True, slots=True)
class _Rule:
    """What tells a kind, and a `cue` without which it is nowhere, but which is found sooner."""

    kind: Kind
    words: re.Pattern[str]
    cue: re.Pattern[str] | None = None

    def holds(self, said: str) -> bool:
        return (self.cue is None or bool(self.cue.search(said))) and bool(self.words.search(said))


_NUMBERED = _Rule(Kind.NUMBER, _NUMBER, re.compile(r"\d"))
_IDENTIFIED = _Rule(Kind.NUMBER, _IDENTIFIER, re.compile(r"[`_\d]|[a-z][A-Z]"))

_IN_SMALL = (
    _Rule(Kind.DECISION, _DECISION),
    _Rule(Kind.DECISION, _CHOSEN, re.compile("it is")),
    _Rule(Kind.CORRECTION, _CORRECTION),
    _Rule(Kind.COMMITMENT, _COMMITMENT),
    _Rule(Kind.PREFERENCE, _PREFERENCE),
)
"""Looked for in small letters: to match both takes twice as long."""

_AS_SPELLED = (_NUMBERED, _IDENTIFIED, _Rule(Kind.NAME, _NAME))


def kind_of_sentence(sentence: Sentence) -> Kind:
    """The first kind whose words it has; a question is nothing else."""
    if sentence.asks:
        return Kind.QUESTION
    said = sentence.text[:_READ].replace("\u2019", "'")
    if not _ANSWER.match(said):
        said = _ADDRESSED.sub("", said)
    small = said.lower()
    if _SMALL_TALK.fullmatch(small) or not _LETTERS.search(said):
        return Kind.NUMBER if _NUMBERED.holds(said) else Kind.SMALL_TALK
    told = next((rule.kind for rule in _IN_SMALL if rule.holds(small)), None)
    return told or next((rule.kind for rule in _AS_SPELLED if rule.holds(said)), Kind.STATEMENT)


def identifiers_in(text: str) -> int:
    """How many different names in code, tickets, versions or the like a text holds."""
    return len(identifiers_named(text))


def identifiers_named(text: str) -> frozenset[str]:
    return frozenset(each.strip("`") for each in _IDENTIFIER.findall(text))


def topics_of(content: str) -> Sequence[str]:
    """The words that are said most often, of as many the longer, then the first in the alphabet."""
    counts = Counter(_topic_words(content[:MAX_CHARACTERS]))
    ranked = sorted(counts, key=lambda word: (-counts[word], -len(word), word))
    return ranked[:MAX_TOPICS]


def _topic_words(content: str) -> Iterator[str]:
    """Plain words, folded; of a script without spaces what stands alone."""
    for word in _PLAIN.findall(content):
        folded = word.casefold()
        if folded not in COMMON and _may_be_a_word(word) and _is_plain(word):
            yield folded


def _is_plain(word: str) -> bool:
    """Whether it is no name in code; most words can be told by their small letters alone."""
    return word[1:].islower() or len(parts(word)) == 1


def _may_be_a_word(word: str) -> bool:
    if not word.isascii() and UNSPACED.search(word):
        return len(word) <= _LONGEST
    return len(word) >= _SHORTEST


COMMON = frozenset(
    """the and that with this from have has had was were are for not but you your they them their
    his
    her our its will would can could should what when where which who how why there here then than
    just also very much more most some any all one two out into over about after before been being
    does did doing it's i'm don't yes let get got make made say said us like want need know think
    good
    really still even only other because""".split()
)
