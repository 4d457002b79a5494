"""What a clause says, before it is a fact with a place and a time."""

from dataclasses import dataclass

from app.distil.facts.fact import Tense


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A fact's content; the fields are as those of `Fact`. Subject None is the speaker."""

    subject: str | None
    attribute: str
    value: str
    confidence: float
    positive: bool = True
    tense: Tense = Tense.NOW
    against: str | None = None
    single: bool = True
