"""What kind of question a query is, by rules that can be read."""

import re

from app.domain.context import Intent
from app.text.patterns import CODE
from app.text.remembered import remembered

MAX_CHARACTERS = 2_000
"""Of a query; what kind it is shows early, or at its end by a question mark."""

_NAMED_CODE = re.compile(
    r"""
    `[^`]+`                                  # inline code
    | \b(?!(?:i[A-Z]|e[A-Z]|mc[A-Z])[a-z]+\b)[a-z]+[A-Z]\w*    # camelCase, but iPhone and eBay
    | \b(?:[A-Z][a-z0-9]+){2,}(?:Error|Exception|Warning|Handler|Service|Factory|Test|Config)\b
    | \b[A-Z]\w+(?:Error|Exception)\b
    | \b\w+_\w+                              # snake_case
    | \b\w{2,}\((?!s\))                      # a call, but not "person(s)"
    | \b(?:[A-Z]{1,4}-?\d{4,}|0x[0-9a-fA-F]{4,}|HTTP\ [1-5]\d\d)\b   # an error code
    | \b[\w-]+\.(?:py|js|ts|tsx|go|rs|java|sql|yml|yaml|toml|json|md|sh|c|cpp|h|css|html|ipynb)\b
    | (?:^|\s)--[a-z][\w-]+                  # an option
    | \b(?:traceback|exception|stack\ ?trace|segfault|errno|regex|refactor\w*|compile[rd]?)\b
    """,
    re.VERBOSE,
)
_ABOUT_CODE = re.compile(
    rf"""
    {CODE}
    | \b(?:python|javascript|typescript|golang|kotlin|bash|numpy|pandas|sql|json|csv|c\+\+
    |function|method|endpoint|unit\ tests?|script|stdout|stdin|api)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_TEMPORAL = re.compile(
    r"""
    \b(?:when|yesterday|today|tonight|tomorrow|ago|recently|lately|latest
    |since\ (?!you\b|it\b|there\b|that\b)|until
    |last\ (?!name|thing|word|one\b|straw)|next\ (?!to\b|door|of\b)
    |(?:mon|tues|wednes|thurs|fri|satur|sun)days?
    |january|february|april|june|july|august|september|october|november|december
    |(?:this|in|last|early|late|since|during)\ (?:week|month|year|march|may)
    |(?:march|may)\ (?:\d|(?:19|20)\d\d)|\d{1,2}(?:st|nd|rd|th)?\ (?:of\ )?(?:march|may)
    |(?:19|20)\d\d|(?:what|which)\ (?:time|date|day|month|year)
    |how\ (?:long|often|many\ (?:days|weeks|months|years|hours)))\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RELATION = re.compile(
    r"""
    ^\s*(?:(?:with|for|to|by|from)\ )?(?:who|whose|whom|who's)\b
    | \b(?:works?\ (?:on|with|for|at)|related\ to|relationship|connected\ (?:to|with)|belongs?\ to
    |(?:relation|connection|link)s?\ between|reports?\ to|knows?\ about|responsible\ for|owns?)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUESTION = re.compile(
    r"""
    [?\uff1f\u061f\u037e]\s*$                 # of any script
    | ^\s*(?:what|which|where|why|how|did|do|does|is|are|was|were|have|has|had|can|could|would
    |should|will|remind|recall|remember|tell\ me|what's)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


@remembered
def intent_of(query: str) -> Intent:
    """
    The first that fits of: code, relation, temporal, recall (any other question), open.

    A name, a call or an error code is code before all else; a mere word such as "function" is so
    only where the query asks neither for somebody nor for a time.
    """
    beginning = query.lstrip()[:MAX_CHARACTERS]
    if _NAMED_CODE.search(beginning):
        return Intent.CODE
    if _RELATION.search(beginning):
        return Intent.RELATION
    if _TEMPORAL.search(beginning):
        return Intent.TEMPORAL
    if _ABOUT_CODE.search(beginning):
        return Intent.CODE
    if _QUESTION.search(query):
        return Intent.RECALL
    return Intent.OPEN
