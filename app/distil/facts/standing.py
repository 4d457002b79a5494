"""What somebody asks for once and for all without "always": how a kind of text is to be written."""

import re

from app.distil.facts.values import thing

_TEXTS = (
    r"(?!(?:the|their|his|her|its|these|those|this|that|some|most|no)\b)"
    r"(?:(?:all|our|my)\s+)?(?:[\w-]+\s+){0,2}?(?:messages|commits|comments|docstrings|tests|names"
    r"|titles|headings|headlines|branches|replies|answers|responses|e-?mails|summaries|reports"
    r"|dates|times|timestamps|amounts|prices|temperatures|units|variables|functions|examples"
    r"|recipes|captions|subject lines|changelogs|entries|notes|letters|posts)"
)
_FORM = (
    r"(?:(?:the\s+)?(?:imperative(?:\s+mood)?|(?:past|present)\s+tense|(?:first|second|third)\s+person"
    r"|active\s+voice|metric\s+system)"
    r"|(?:(?:plain|simple|british|american)\s+)?(?:english|german|french|spanish|italian|dutch)"
    r"|(?:lower|upper|title|sentence|snake|camel|kebab|pascal)[ _-]?case|utc|iso(?:[ -]8601)?"
    r"|euros|dollars|pounds|metric(?:\s+units)?|celsius|fahrenheit|markdown|bullet\s+points"
    r"|plain\s+text|(?:24|12)[ -]hour(?:\s+(?:format|time))?)"
)
_ASKED_OF_TEXTS = re.compile(
    rf"\A\W*(?P<texts>{_TEXTS})\s+(?P<modal>should|must|have\s+to|need\s+to|ought\s+to)\s+"
    r"(?:(?:always\s+|only\s+)?be\s+(?:(?:written|formatted|named|given|kept|shown)\s+)?"
    rf"(?:in\s+{_FORM}(?:\s+format)?|short|concise|brief|kept\s+short)"
    r"|(?:always|never)\s+(?:be|use|start|begin|end|contain|include|mention|have|come|go)\s"
    r"[^,;?\x00]{2,60})[.!]?\s*\Z",
    re.IGNORECASE,
)
_AT_THIS_MOMENT = re.compile(
    r"\b(?:now|by|this|that|these|those|today|tomorrow|already|soon|it|them)\b", re.IGNORECASE
)
_WRITTEN = re.compile(rf"{_FORM}(?=\s*(?:\Z|[.,;!]|\s(?:and|but|when|for)\b))", re.IGNORECASE)
_MOST_WORDS_OF_A_WAY = 4


def modal_of_rule(plain: str) -> tuple[int, int] | None:
    """Where the "should" stands that makes all of a sentence a rule about a kind of text."""
    found = _ASKED_OF_TEXTS.match(plain)
    return None if not found or _AT_THIS_MOMENT.search(plain) else found.span("modal")


def written_in(text: str) -> str | None:
    """How somebody writes: "past tense"; not "pencil", nor "the garden"."""
    found = _WRITTEN.match(text)
    return re.sub(r"\Athe\s+", "", found[0], flags=re.IGNORECASE) if found else None


def way(text: str) -> str | None:
    """What one learns best by: "pictures", "doing"."""
    said = thing(text)
    return said if said and len(said.split()) <= _MOST_WORDS_OF_A_WAY else None
