"""A statement with its speaker named, as it is read by itself: "Alice moved to Lisbon"."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from app.distil.facts.clauses import Clause, Who
from app.distil.facts.fact import Fact, Tense

_OF_SPEAKER = re.compile(
    r"\A(?:I'?m|I am)(?=\s)|\AI(?:'?ve| have)(?=\s)|\AI don'?t(?=\s)|\AI do not(?=\s)"
    r"|\AI'll(?=\s)|\AI(?=\s)"
)
_VERB = {"'m": " is", " am": " is", "'ve": " has", " have": " has", " don't": " doesn't"}
_VERB |= {"m": " is", "ve": " has", " dont": " doesn't"}
_VERB |= {" do not": " does not", "'ll": " will", "": ""}
_IN_PRESENT = re.compile(
    r"\A\s+(?P<adverb>(?:now|also|really|still|currently|actually|always|never|no longer|only"
    r"|mostly|usually|generally|absolutely|strongly)\s+)?"
    r"(?P<verb>live|reside|work|prefer|like|love|enjoy|adore|hate|dislike|despise|detest|use|speak"
    r"|play|own|study|come|need|want|have|run|lead|manage|head|drive|eat|drink|go|do|practi[sc]e"
    r"|volunteer|collect|teach|suffer|major|take"
    r"|write|understand|learn|grasp|weigh|hope|aim|try|relocate)"
    r"(?=\s)"
)
_IRREGULAR = {"study": "studies", "try": "tries", "have": "has", "go": "goes", "do": "does"}
_IRREGULAR |= {"teach": "teaches"}
_OF_THEMSELVES = {
    "my": "their", "me": "them", "mine": "theirs", "myself": "themselves", "i": "they",
    "i am": "they are", "i was": "they were", "i'm": "they're",
}  # fmt: skip
_OF_MYSELF = re.compile(r"\b(?:[Mm]y|me|mine|myself|I am|I was|I'm|I)\b(?![\w/-])")
_MINE = re.compile(r"\b(?:my|My)\b")


def spoken(clause: Clause, said: str) -> str:
    """`said`, the words of a clause, behind its subject where that stands elsewhere."""
    if not clause.opening:
        return said
    begun = said[:1].lower() + said[1:]
    return clause.opening.rstrip() + re.sub(r"\A(?:['\u2019]s)?\s*", _joined, begun, count=1)


def _joined(found: re.Match[str]) -> str:
    return " is " if found[0].strip() else " "


def retold(clause: Clause, said: str, speaker: str) -> str:
    """`said`, the words of `clause` to its end, as somebody else would tell them."""
    said = said.replace("\u2019", "'").strip().rstrip(" .!;:,")
    if clause.who is Who.WE:
        return f"{speaker}: {said}"
    if clause.who is Who.SELF:
        said = _by_name(said, speaker)
    elif clause.who is Who.KIN:
        said = re.sub(r"\A(?:my|our)\b", f"{speaker}'s", said, flags=re.IGNORECASE)
    return as_of_another(said)


def as_of_another(said: str) -> str:
    """What somebody says of themself, as another tells it: "my own studio" is "their own"."""
    return _OF_MYSELF.sub(lambda found: _OF_THEMSELVES[found[0].casefold()], said)


def quoted(said: str, speaker: str) -> str:
    """What has no subject that could be named: behind its speaker's name."""
    said = said.strip().rstrip(" .!;:,")
    if said[:3].casefold() == "my ":
        return f"{speaker}'s {said[3:]}"
    return f"{speaker}: {said}"


def _by_name(said: str, speaker: str) -> str:
    found = _OF_SPEAKER.match(said)
    if not found:
        return said
    begun, rest = speaker + _VERB[found[0][1:]], said[found.end() :]
    if found[0] == "I":
        rest = _IN_PRESENT.sub(_third_person, rest)
    return begun + rest


def _third_person(found: re.Match[str]) -> str:
    verb = found["verb"]
    ending = _IRREGULAR.get(verb, verb + "s")
    return f" {found['adverb'] or ''}{ending}"


_AS_VERBS = {
    "lives_in": "live in",
    "works_at": "work at",
    "job": "work as",
    "married_to": "be married to",
    "allergic_to": "be allergic to",
    "diet": "be",
    "from": "be from",
    "name": "be called",
    "called": "be called",
    "likes": "like",
    "dislikes": "dislike",
    "prefers": "prefer",
    "eats": "eat",
    "drinks": "drink",
    "speaks": "speak",
    "plays": "play",
    "has": "have",
    "studies": "study",
    "uses": "use",
    "collects": "collect",
    "teaches": "teach",
    "works_in": "work in",
    "volunteers_at": "volunteer at",
    "runs": "run",
    "visited": "visit",
    "works_on": "work on",
}
_STATES = {"lives_in": re.compile(r"\bliv(?:e|es|ed|ing)\b"), "works_at": re.compile(r"\bwork")}
"""Attributes that people mostly tell by what began them, with the words that tell them already."""

_THIRD = {"be": "is", "have": "has", "study": "studies", "teach": "teaches", "visit": "visited"}


def told_apart(facts: Sequence[Fact]) -> Sequence[Fact]:
    """
    `facts` of one message, of which those that are told in the same words tell their own parts.

    "Mo is vegan and allergic to nuts" states two: "Mo is vegan", "Mo is allergic to nuts".
    """
    texts = Counter(each.text for each in facts)
    return [replace(each, text=_own_part(each)) if texts[each.text] > 1 else each for each in facts]


def as_it_holds(fact: Fact) -> Fact:
    """
    `fact` told by what holds since, where its words tell only what began it.

    "User moved to Lisbon" does not say "live": no question for where somebody lives would find it.
    """
    words = _STATES.get(fact.attribute)
    holds = fact.positive and fact.tense is Tense.NOW
    if words is None or not holds or words.search(fact.text):
        return fact
    began = re.sub(rf"\A{re.escape(fact.subject)}(?: has|:)? ", "", fact.text)
    there = re.sub(rf"\b(?:to|into|in|at) {re.escape(fact.value)}(?!\w)", "there", began, count=1)
    return replace(fact, text=f"{_own_part(fact)} ({there})")


def _own_part(fact: Fact) -> str:
    base = _AS_VERBS.get(fact.attribute)
    if base is None:
        words = fact.attribute.replace("_", " ")
        return f"{fact.subject}'s {words}: {'' if fact.positive else 'not '}{fact.value}"
    return f"{fact.subject} {_conjugated(base, fact)} {_MINE.sub('their', fact.value)}"


def _conjugated(base: str, fact: Fact) -> str:
    verb, _, rest = base.partition(" ")
    match fact.tense:
        case Tense.PAST:
            return f"used {'' if fact.positive else 'not '}to {base}"
        case Tense.PLANNED:
            return f"will {'' if fact.positive else 'not '}{base}"
        case Tense.NOW:
            third = _THIRD.get(verb, f"{verb}s")
    if fact.positive:
        return f"{third} {rest}".rstrip()
    return (f"isn't {rest}" if verb == "be" else f"doesn't {base}").rstrip()
