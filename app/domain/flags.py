"""What a tenant switches while the service runs."""

from dataclasses import dataclass

from app.domain.context import DEFAULT_BUDGET
from app.domain.memory import ItemType


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """
    The switches with their defaults; `token_budget` in tokens.

    With all of them off, memory is plain dense retrieval.
    """

    hybrid: bool = True
    """Lexical search beside the semantic one, learned relevance, and what completes an item."""
    chunking: bool = True
    """Long messages are split as they are stored; what is stored stays as it is."""
    profile: bool = True
    """Profiles go into bundles, where there is consent."""
    graph: bool = True
    """Entities of messages are noted as they are distilled, and asked for what hangs together."""
    facts: bool = True
    """Facts, and the gist of what tools answer, are drawn from what is said."""
    summaries: bool = True
    """Conversations are summed up."""
    summary_frequency: int = 5
    """After so many messages of the assistant, or much that was said; 0: only when asked for."""
    rerank: bool = True
    """The reranker reads along, where one is set."""
    token_budget: int = DEFAULT_BUDGET
    """The budget of requests that name none."""

    @property
    def untold(self) -> frozenset[ItemType]:
        """The types of which nothing that was derived is recalled."""
        facts = () if self.facts else (ItemType.FACT, ItemType.TOOL)
        summaries = () if self.summaries else (ItemType.SUMMARY,)
        return frozenset([*facts, *summaries])


@dataclass(frozen=True, slots=True, kw_only=True)
class FlagState:
    """The flags as they were at `version`, which rises with every change."""

    version: int = 0
    flags: Flags = Flags()
