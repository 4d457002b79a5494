"""Reading what people do for a living, and where."""

import re

from app.distil.facts.values import proper, thing
from app.distil.language.lexicon import NO_WORKPLACES, OCCUPATIONS

_RATED = frozenset(
    """bad good better best worse worst great terrible lousy decent poor amazing horrible slow fast
    careful lucky passionate big huge real regular frequent heavy light fellow natural""".split()
)
"""Who is a bad cook, or a careful driver, is none by trade."""

_HOW_ONE_WORKS = frozenset(
    """pace living desk friend loss computer keyboard speed rate level discount fraction standstill
    while bit distance stretch laptop""".split()
)


def occupation(text: str) -> str | None:
    """A job with up to three words, "product designer"."""
    found = re.match(r"(?:an?\s+|the\s+)?((?:[\w-]+\s+){0,2}?)([\w-]+)\b", text)
    words = re.findall(r"[\w-]+", text)[:4]
    if words and words[0].casefold() in ("a", "an", "the"):
        words = words[1:]
    ends = [at for at, word in enumerate(words[:3]) if word.casefold() in OCCUPATIONS]
    job = " ".join(words[: ends[-1] + 1]) if found and ends and "\x00" not in text[:40] else None
    of_another = job and re.match(r"['\u2019]s\b", text[text.find(job) + len(job) :])
    return None if not job or of_another or words[0].casefold() in _RATED else job


def employer(said: str, job: str) -> str | None:
    """Where somebody has this job, with a name: "a nurse at Charité"; no place of studies."""
    _, _, behind = said.partition(job)
    name = proper(behind[4:]) if behind[:4].casefold() == " at " else None
    return name if name and len(name) > 2 and not job.casefold().endswith("student") else None


def workplace(text: str) -> str | None:
    """A name, or "a small bakery"."""
    if name := proper(text):
        return None if name.casefold() in NO_WORKPLACES else name
    at = thing(text) if re.match(r"an?\s", text) else None
    return at if at and _HOW_ONE_WORKS.isdisjoint(at.split()) else None
