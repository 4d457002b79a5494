"""
Facts that a question asks for: "Where do I live?", "What is Anna's job?", "Which cache do we use?".

A question must have one of these forms from end to end, so one that is about more is none; one that
no fact answers costs a look. English, as the rules of facts are.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import product

from app.distil.facts.clauses import WE
from app.distil.facts.directions import SAYS_NOTHING_ALONE, SPELLED
from app.distil.facts.filing import group_of
from app.distil.language.lexicon import KIN, MEASURES, TOLD_NOUNS, TOOL_KINDS
from app.text.patterns import one_of

_LONGEST = 120
"""Characters of a question that asks for no more than a fact."""

_WORD = re.compile(r"[^\W_]+(?:['-][^\W_]+)*|[+#]+")
_SHORT = {
    "what's": "what is", "whats": "what is", "where's": "where is", "who's": "who is",
    "whos": "who is", "when's": "when is", "i'm": "i am", "im": "i am", "we're": "we are",
    "favorite": "favourite",
}  # fmt: skip
_POLITE = re.compile(
    r"(?:(?:and|so|ok|okay|hey|hi|please|well|then|now|btw|sorry|again|quick question"
    r"|(?:do|can|could|would) you (?:still |please )?(?:know|remember|recall|tell me|remind me)"
    r"|(?:tell|remind) me(?: again)?) )+"
)
_AT_LAST = re.compile(
    r"(?: (?:again|please|now|right now|currently|at the moment|these days|nowadays|today"
    r"|by the way|btw|do you know|do you remember|anymore|any more|at present|exactly))+\Z"
)


_LATELY = f"(?:{one_of(*'currently now still actually really usually mostly just'.split())} )?"
_WHO = r"(?P<who>i|me|we|(?:my|our) [a-z]+|[^\W\d_][\w'-]*)"
_WHOSE = r"(?P<whose>my|our|(?:my|our) [a-z]+'s|[^\W\d_][\w-]*'s)"
_IS = "(?: (?:is|are))?"
_BE = one_of("am", "is", "are", "was", "were")
_DO = f"(?:(?:do|does|did|have|has|{_BE}) )?{_WHO} (?:{_BE} )?{_LATELY}"
"""Do I, does Anna, I am, is my sister now: each with a blank behind it."""

_OF = f"(?:(?:is|are) )?{_WHOSE} "
_WHICH = "(?:what|which)"
_PLACE = one_of(*"city town country place state village area region street".split())
_LIVE = one_of("lives?", "living", "based", "located", "moved?")
_WORK = one_of("works?", "working", "employed")
_TRADE = one_of(
    "(?:current )?job(?: title)?", "profession", "occupation", "line of work", "employer"
)
_PLAN = one_of("(?:subscription )?plan", "subscription", "tier")
_ORIGIN = one_of("from", "comes? from", "grow up", "grew up", "born", "raised")
_HOME, _JOB = ["lives_in"], ["job", "works_at", "works_in"]
_EATEN = ["diet", "allergic_to", "eats"]

_FORMS: Sequence[tuple[str, Sequence[str]]] = [
    (f"where {_DO}{_LIVE}(?: in| to)?", _HOME),
    (f"(?:in )?{_WHICH} {_PLACE} {_DO}{_LIVE}(?: in| to)?", _HOME),
    (f"where {_OF}home{_IS}", _HOME),
    (f"(?:where|who|for who|for whom) {_DO}{_WORK}(?: at| for)?", _JOB),
    (f"{_WHICH} (?:company|firm|employer) {_DO}{_WORK}(?: at| for)?", _JOB),
    (f"(?:what|who) {_OF}{_TRADE}{_IS}", _JOB),
    (f"what {_DO}do(?:ing)?(?: for (?:a living|work)| professionally| at work)", _JOB),
    (f"what {_OF}(?:full )?name{_IS}", ["name", "called"]),
    (f"what {_DO}called", ["name", "called"]),
    (f"what (?:should|do|can|will) you call {_WHO}", ["called", "name"]),
    (f"how old (?:{_BE} )?{_WHO}{_IS}", ["age", "birthday"]),
    (f"what {_OF}age{_IS}", ["age", "birthday"]),
    (f"when {_OF}birthday{_IS}", ["birthday"]),
    (f"when {_DO}born", ["birthday", "age"]),
    (f"where {_DO}(?:originally )?{_ORIGIN}", ["from"]),
    (f"what {_DO}(?:study|studies|studying|major(?:ing)? in|learn(?:ing)?)", ["studies"]),
    (f"who {_DO}married to", ["married_to"]),
    (f"who {_OF}(?:wife|husband|spouse|partner){_IS}", ["married_to"]),
    (f"what {_OF}diet{_IS}", _EATEN),
    (f"{_DO}(?:a )?(?:vegan|vegetarian|pescatarian)", ["diet", "eats"]),
    (f"what {_DO}(?:not|don't|doesn't|can't|cannot) eat", _EATEN),
    (f"(?:what )?{_DO}allergic to(?: .+)?", ["allergic_to"]),
    (f"{_DO}have (?:any )?(?:food )?allerg(?:y|ies)", ["allergic_to"]),
    (f"what {_OF}allergies{_IS}", ["allergic_to"]),
    (f"what {_DO}(?:likes?|loves?|enjoys?|prefers?)", ["likes", "prefers"]),
    (f"what {_OF}(?:hobby|hobbies|interests){_IS}", ["likes", "does", "plays", "collects"]),
    (f"{_WHICH} languages? {_DO}speaks?", ["speaks"]),
    (f"{_WHICH} (?:instruments?|sports?) {_DO}plays?", ["plays", "does"]),
    (f"how tall (?:{_BE} )?{_WHO}{_IS}", ["height"]),
    (f"how much {_DO}weighs?", ["weight"]),
    (f"what {_DO}(?:afraid|scared|terrified) of", ["fears"]),
    (f"what {_OF}(?:goal|aim)s?{_IS}", ["goal"]),
    (f"{_WHICH} {_PLAN} {_DO}(?:on|have|use)", ["plan"]),
    (f"{_WHICH} {_OF}{_PLAN}{_IS}", ["plan"]),
    (f"what {_OF}(?:rules|instructions|preferences){_IS}", ["rule", "prefers", "likes"]),
]
_READ = [(re.compile(form), attributes) for form, attributes in _FORMS]
_FAVOURITE = re.compile(f"(?:what|which|who) {_OF}favourite (?P<of>[a-z ]{{2,40}}?){_IS}")
_USED = re.compile(
    f"{_WHICH} (?P<of>[a-z -]{{2,40}}?) {_DO}(?:uses?|using|on|runs?|running|decide on|cho?ose)"
)
_NOTED = re.compile(
    rf"(?:what|which|when|where) (?:(?:is|are) )?(?:the|{_WHOSE}) (?P<of>[a-z -]{{2,40}}?){_IS}"
)
_KIN_NAMED = re.compile(
    f"(?:what|who) (?:(?:is|are) )?(?:the name of )?{_WHOSE} (?P<of>[a-z]+)(?: called| named)?{_IS}"
)
_IN_OTHER_WORDS = {**SPELLED, "programming language": "language"}


def groups_asked(query: str, speakers: Collection[str]) -> frozenset[str]:
    """
    The groups of facts (`filing.py`) that a question asks for; none of what is no such question.

    Args:
        query: What is asked.
        speakers: The names, folded, that facts call who asks.
    """
    if len(query) > _LONGEST:
        return frozenset()
    typed = query.lower().replace("\u2019", "'")
    words = (_SHORT.get(each, each) for each in _WORD.findall(typed))
    said = _AT_LAST.sub("", _POLITE.sub("", " ".join(words), count=1))
    return frozenset(
        group_of(subject, attribute)
        for who, attributes in _asked(said)
        for subject, attribute in product(_called(who, speakers), attributes)
    )


def _asked(said: str) -> Iterator[tuple[str, Sequence[str]]]:
    """Who each form is about, and which attributes it asks for."""
    for form, attributes in _READ:
        if found := form.fullmatch(said):
            yield _about(found), attributes
    if found := _FAVOURITE.fullmatch(said):
        yield _about(found), [f"favourite {found['of']}"]
    for form in (_USED, _NOTED):
        if (found := form.fullmatch(said)) and (kind := _kind(found["of"])):
            yield _about(found), [kind]
    if (found := _KIN_NAMED.fullmatch(said)) and found["of"] in KIN:
        yield f"{found['whose']} {found['of']}", ["name"]


def _about(found: re.Match[str]) -> str:
    told = found.groupdict()
    return told.get("who") or (told.get("whose") or "our").removesuffix("'s")


def _kind(said: str) -> str | None:
    """The attribute under which such a thing is kept."""
    kind = _IN_OTHER_WORDS.get(said, said)
    told = said not in SAYS_NOTHING_ALONE and kind in TOOL_KINDS | TOLD_NOUNS | MEASURES
    return kind if told else None


def _called(who: str, speakers: Collection[str]) -> Collection[str]:
    """What facts call them, folded: "my sister" is "user's sister"."""
    first, _, kin = who.partition(" ")
    if kin:
        return [f"{speaker}'s {kin}" for speaker in speakers]
    return {*speakers, WE} if first in _ASKER else [first]


_ASKER = frozenset({"i", "me", "my", "we", "our"})
