"""What the sources answered."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.context import Degraded
from app.domain.ids import ConversationKey, ItemKey
from app.domain.profile import Profile
from app.ports.stored import LexicalAnswer
from app.ranking import Floats, Words, no_words
from app.services.context.entering import Episode
from app.services.context.reading import NOTHING_READ, Reading
from app.services.context.relating import Related
from app.services.context.sought import Sought


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """
    The query's vector and those of its words, what lies near it with its cosine, and the seconds of
    embedding; `read` if the model reads the script of the query. What was said in conversations
    that it calls by their label (`called`) was looked for as well.
    """

    vector: Floats | None = None
    words: Words = field(default_factory=no_words)
    read: bool = True
    hits: Sequence[tuple[ItemKey, float]] = ()
    embedding: float = 0.0
    called: frozenset[ConversationKey] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """
    What the sources answered, and what the query says by itself. `seconds` by source and by the
    steps inside of it, and when each `began`, by `time.perf_counter`.
    """

    episode: Episode
    near: Near
    sought: Sought
    lexical: LexicalAnswer
    related: Related
    degraded: Sequence[Degraded]
    seconds: dict[str, float]
    began: Mapping[str, float] = field(default_factory=dict)
    reading: Reading = NOTHING_READ


@dataclass(frozen=True, slots=True, kw_only=True)
class About:
    """What is known of the user who asks, when that was asked for, and how long it took."""

    profile: Profile | None = None
    degraded: Sequence[Degraded] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    began: Mapping[str, float] = field(default_factory=dict)
