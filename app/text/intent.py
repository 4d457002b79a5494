"""What kind of question a query is, by rules that can be read."""

import re

from app.domain.context import Intent

_CODE = re.compile(
    r"""
    `[^`]+`                                  # inline code
    | \b[a-z]+[A-Z]\w*                       # camelCase
    | \b\w+_\w+                              # snake_case
    | \b\w+\(                                # a call
    | \b\w+\.(?:py|js|ts|go|rs|java|sql|yml|yaml|toml|json|md|sh|c|cpp|h)\b
    | \b(?:traceback|exception|stack\ trace|segfault|errno|regex|refactor|compile[rd]?)\b
    """,
    re.VERBOSE,
)
_TEMPORAL = re.compile(
    r"""
    \b(?:when|yesterday|today|tonight|tomorrow|ago|since|until|recently|latest|last|next
    |(?:mon|tues|wednes|thurs|fri|satur|sun)day
    |january|february|march|april|june|july|august|september|october|november|december
    |(?:this|in)\ (?:week|month|year|may)|(?:19|20)\d\d|what\ (?:time|date|day|month|year)
    |how\ (?:long|often))\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_RELATION = re.compile(
    r"""
    ^\s*(?:who|whose|whom)\b
    | \b(?:works?\ (?:on|with|for|at)|related\ to|relationship|connected|between|belongs?\ to
    |reports?\ to|knows?\ about|responsible\ for|owns?)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)
_QUESTION = re.compile(
    r"""
    \?\s*$
    | ^\s*(?:what|which|where|why|how|did|do|does|is|are|was|were|have|has|can|could|remind|recall
    |remember)\b
    """,
    re.VERBOSE | re.IGNORECASE,
)


def intent_of(query: str) -> Intent:
    """The first that fits of: code, relation, temporal, recall (any other question), open."""
    if _CODE.search(query):
        return Intent.CODE
    if _RELATION.search(query):
        return Intent.RELATION
    if _TEMPORAL.search(query):
        return Intent.TEMPORAL
    if _QUESTION.search(query):
        return Intent.RECALL
    return Intent.OPEN
