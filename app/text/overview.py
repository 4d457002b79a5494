"""
Whether a question asks for all there is of something: of a time, or of who asks.

It asks for a time itself ("What did I do last week?", "Recap of March"), not for something of that
time ("Which restaurant did we go to in May?").

What is left of a question without its time must have one of these forms from end to end: with one
word more, be it a name or a topic, the question is about that. English, as the rules of times are.
"""

import re
from itertools import islice

from app.text.patterns import one_of

MAX_WORDS = 20
"""That are left of a question: who says more asks for more than a time."""

_LONGEST = 400
"""Characters of a question that asks for no more than who asks."""

_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|'[^\W_]+")


def _some(*several: str) -> str:
    """Any number of them, each with the blank behind it."""
    return f"(?:{one_of(*several)} )*"


def _behind(*several: str) -> str:
    """Any number of them, each with the blank before it."""
    return f"(?: {one_of(*several)})*"


_WHO = "(?:you and i|i|we|you|us|the (?:user|assistant))(?:'ve|'d|'re|'m)?"
_BE = one_of(*"did do have had has was were is are am been being got".split())
_DO = one_of(
    "(?:do|did|done|doing)(?: with you)?",
    "(?:been |get |got )?up to",
    "(?:get|got|getting) done",
    "discuss(?:ed|ing)?",
    "(?:talk(?:ed|ing)?|speak(?:ing)?|spoken?|chat(?:ted|ting)?)(?: about)?",
    "work(?:ed|ing)? on",
    "(?:go|gone|went|going) (?:over|through)",
    "(?:have|had)(?: (?:on|going on|planned|scheduled))?",
    *("plan(?:ned|ning)?", "(?:deal|dealt|dealing) with", "(?:think|thought) about"),
    "(?:write|wrote|written) about",
    *("cover(?:ed|ing)?", "accomplish(?:ed)?", "achieved?", "learn(?:ed|t)?", "miss(?:ed)?"),
    *("decided?", "agreed?(?: (?:on|to))?"),
    *("concluded?", "finish(?:ed)?", "completed?", "(?:figured?|work(?:ed)?|find|found) out"),
    "(?:say|said|mention(?:ed)?|tell|told)(?: (?:you|me|each other))?",
    "ask(?:ed|ing)?(?: (?:you|me|us|each other))?(?: (?:for|about|to do))?",
    "(?:suggest|recommend|explain|answer)(?:ed|ing)?(?: to (?:me|us|you))?",
    "(?:propos|advis)(?:ed?|ing)(?: (?:to )?(?:me|us|you))?",
    "(?:help(?:ed|ing)? (?:me|us|you)|(?:need|want|get|got)(?:ed)? help) with",
)
_BEEN_DONE = one_of(
    *("there", "said", "told", "mentioned", "discussed", "talked about", "spoken about", "covered"),
    *("decided(?: on)?", "agreed(?: (?:on|upon|to))?", "done", "achieved", "accomplished"),
    *("asked(?: (?:for|about))?", "suggested", "recommended", "proposed", "explained", "concluded"),
)
_HAPPEN = one_of(
    "(?:happen(?:ed|s|ing)?|occurred|changed?)(?: (?:to|with|between) (?:me|us))?",
    *("took place", "(?:gone|went|going|goes) on", "(?:came|come|comes) up", "new"),
    *("important", "interesting", "notable", "special", "on"),
)
_ALL = "(?:what|whatever|(?:all |of )*(?:everything|all|the things)(?: that)?)(?:'s|'d|'ve)?"
_DEED = one_of(f"{_WHO}{_behind(_BE)} {_DO}", _HAPPEN, _BEEN_DONE)
_WHAT = f"{_ALL}(?: all| else)?{_behind(_BE)} {_DEED}"
"""What did I do, everything we talked about, what happened, what was said."""

_OUR = _some(*"all any of the my our your me us these those".split())
_TALK = one_of(
    *("conversations?", "chats?", "discussions?", "talks?", "messages", "sessions?", "notes"),
    *("events?", "activities", "topics", "days?", "weeks?", "weekend", "months?", "year"),
)
_THESE = f"(?: {_OUR}{one_of(_TALK, _WHAT)})?"

_KIND = _some(
    *"a an any some the my our your 's quick brief short concise full complete detailed".split(),
    *"general good little daily weekly monthly yearly main key biggest important most".split(),
)
_GIST = one_of(
    *("summar(?:y|ies)", "recaps?", "overview", "rundown", "digest", "synopsis", "gist"),
    *("round-?up", "review", "retrospective", "report", "highlights?", "takeaways", "points"),
    *("topics", "subjects", "themes", "events?", "things", "decisions", "news", "updates?"),
    *("questions?", "requests?", "answers?", "suggestions?", "recommendations?", "advice"),
)
_NOUN = f"{_KIND}{_GIST}{_behind('of', 'for', 'from', 'on', 'in', 'about')}{_THESE}"
"""A short summary of our chats, the highlights, any news."""

_SUM_UP = one_of(
    *("summari[sz]e", "sum up", "recap", "recapitulate", "review", "outline", "condense"),
    "(?:catch|bring|get) (?:me|us) up(?: to (?:speed|date))?",
    *("fill (?:me|us) in", "look back", "walk (?:me|us) through", "go (?:back )?(?:over|through)"),
)
_VERB = f"{_SUM_UP}{_behind('on', 'at', 'about', 'for me', 'for us')}{_THESE}"
"""Summarise what we discussed, catch me up on."""

_HOW = (
    f"how(?:'s|'d)?(?: {_BE})?{_behind('my', 'our', 'your', 'the', 'it', 'things', 'everything')}"
    f"(?: {_TALK})?(?: (?:go|gone|been|going))?"
)
_ANYTHING = (
    f"(?:{_BE} )?(?:(?:there|{_WHO}) )?(?:{_DO} )?(?:anything|something)"
    f"{_behind('else', 'new', 'interesting', 'important', 'notable', 'special', 'exciting', 'big')}"
    f"(?: {_HAPPEN})?"
)
_MADE = f"{_WHO}{_behind(_BE)} {one_of(_DO, 'make', 'made', 'give', 'given')}"
_WHICH = f"(?:what|which)(?:'s)?{_behind(_BE)} {_NOUN}(?:{_behind(_BE)} {_MADE})?"
"""What are the highlights, which topics did we discuss, what was my question."""
_LIKE = f"what{_behind(_BE)} (?:about|{_OUR}{_TALK} look(?:ed)? like)"
"""What was that week about, what did my day look like."""
_WHERE = f"where{_behind(_BE)} (?:i|we) (?:leave|left|break|broke) off"

_SPELLED = dict(
    each.split("=")
    for each in """
    wat=what wht=what wut=what whats=what's wats=what's hows=how's ive=i've weve=we've u=you r=are
    ur=your abt=about bout=about n=and happend=happened happned=happened hapened=happened
    plz=please pls=please
    """.split()
)
"""As people write in a chat, and what they mean by it where nothing but a form is looked for."""

_BEFORE = _some(
    *"and so ok okay well hey hi hello please pls now then also again just quickly briefly".split(),
    *"in on of for from over during the this all remember recall".split(),
    *("(?:what|how) about", "in short", "(?:can|could|would|will) you"),
    "(?:i|we)(?: would|'d)? (?:want|need|like)(?: you)?(?: to)?",
    "(?:tell|show|remind|give|get|write|make|prepare|list|know|see|hear)(?: (?:me|us))?(?: of)?",
    "(?:do )?you (?:still )?(?:remember|recall|know)",
)
"""What may stand before it, or be all that there is beside a time."""

_AFTER = _some(
    *"in on of for from over during at about through throughout within between by to and".split(),
    *"or the this that all whole entire course month 's my our together exactly overall".split(),
    *("so far", "again", "please", "me", "us", "back", "mainly", "mostly", "briefly"),
    *("in (?:total|general|short)", "day", "week", "weekend", "year"),
)
_OVERVIEW = re.compile(
    f"{_BEFORE}(?:{one_of(_WHAT, _NOUN, _VERB, _HOW, _ANYTHING, _WHICH, _LIKE, _WHERE)} {_AFTER})?"
)


_KNOW = "(?:know|knew|remember(?:ed)?|recall|learn(?:ed|t)?|stored?|saved?|got|have|been told)"
_ME = "(?:me|myself|who i am)"
_EVER = _behind("all", "already", "still", "really", "so", "far", "actually", "else", "ever")
_PORTRAIT = re.compile(
    _BEFORE
    + one_of(
        f"(?:{_SUM_UP} )?(?:{_ALL}|anything|something)(?: else)?(?: (?:is|has been|it|is it|that))?"
        f"(?: {_BE})?(?: you)?"
        f"{_EVER} {_KNOW}n?{_EVER} (?:about|of|on) {_ME}",
        "(?:what|who)(?: do you think)? (?:am i|i am)",
        f"(?:do|did|does) (?:you|it){_EVER} (?:know|remember) {_ME}",
        f"(?:something )?about {_ME}",
        f"(?:describe|summari[sz]e|introduce|portray) {_ME}",
    )
    + f" {_AFTER}{_some('yet', 'by now', 'until now', 'already', 'to somebody', 'to yourself')}"
)


def asks_about_asker(query: str) -> bool:
    """Whether a question asks for whatever is known of who asks: "What do you know about me?"."""
    form = _in_words(query[:_LONGEST].casefold())
    return form is not None and _PORTRAIT.fullmatch(form) is not None


def asks_for_a_time(rest: str) -> bool:
    """
    Whether a question asks for nothing but a time, given what is left of it without that.

    Args:
        rest: As `app/text/times.py` leaves it, in lower case.
    """
    form = _in_words(rest)
    return form is not None and _OVERVIEW.fullmatch(form) is not None


def _in_words(text: str) -> str | None:
    """Its words as they are spelled, each with a blank behind it; None where they are too many."""
    found = islice(_WORD.finditer(text.replace("\u2019", "'")), MAX_WORDS + 1)
    words = [_SPELLED.get(each[0], each[0]) for each in found]
    return "".join(f"{word} " for word in words) if len(words) <= MAX_WORDS else None
