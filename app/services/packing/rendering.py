"""A bundle in the format of its request, and what it costs in it."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace

from app.domain.context import ContextRequest, Format, MemoryItem
from app.domain.conversation import Message
from app.domain.ids import ItemKey
from app.domain.profile import ShownProfile
from app.ports import TokenCounter
from app.text.profile import render_profile
from app.text.render import (
    EARLIER,
    PREAMBLE,
    Contents,
    render_item,
    render_markdown,
    render_messages,
    text_of,
    title_of,
)

_JOINT = 1
"""Tokens set aside for each place where parts of a rendered text are joined."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What is in before any memory is, and in which format."""

    request: ContextRequest
    history: Sequence[Message]
    profile: ShownProfile | None
    rolling: frozenset[ItemKey] = frozenset()
    """What sums up the running conversation, where it goes in."""

    def contents(self, items: Sequence[MemoryItem]) -> Contents:
        return Contents(
            items=items,
            history=self.history,
            about=render_profile(self.profile.profile) if self.profile else "",
            rolling=self.rolling,
        )

    def smaller(self) -> "Frame":
        """Without the profile, or else without the oldest message."""
        if self.profile is not None:
            return replace(self, profile=None)
        return replace(self, history=self.history[1:])


@dataclass(frozen=True, slots=True)
class Rendered:
    """Text or messages, or neither in JSON, and the tokens of all of it."""

    text: str | None
    messages: Sequence[Mapping[str, object]] | None
    tokens: int


@dataclass(frozen=True, slots=True)
class Scribe:
    """Renders, and counts what is rendered."""

    tokens: TokenCounter

    def render(self, frame: Frame, items: Sequence[MemoryItem]) -> Rendered:
        if frame.request.format is Format.MARKDOWN:
            text = render_markdown(frame.contents(items))
            return Rendered(text, None, self.tokens.count(text))
        if frame.request.format is Format.MESSAGES:
            messages = self._messages(frame, items)
            return Rendered(None, messages, sum(self.tokens.count(text_of(e)) for e in messages))
        said = sum(item.tokens for item in items) + sum(each.tokens for each in frame.history)
        return Rendered(None, None, said + (frame.profile.tokens if frame.profile else 0))

    def fixed(self, frame: Frame) -> int:
        """What a frame costs before any memory is in it, with what stands over all memories."""
        tokens = self.render(frame, []).tokens
        if frame.request.format is Format.JSON:
            return tokens
        over = [EARLIER] if frame.profile else [PREAMBLE, EARLIER]
        return tokens + sum(self.tokens.count(each) + _JOINT for each in over)

    def cost(self, frame: Frame, item: MemoryItem) -> int:
        """What an item costs without its heading."""
        if frame.request.format is Format.JSON:
            return item.tokens
        return self.tokens.count(render_item(item)) + _JOINT

    def heading(self, frame: Frame, item: MemoryItem) -> tuple[Hashable, int]:
        """The heading that an item shares with others, by what they have in common."""
        title = title_of(item, frame.rolling)
        own = item.conversation_id if title.of_conversation else title.text
        return own, self.tokens.count(title.text) + _JOINT

    def _messages(
        self, frame: Frame, items: Sequence[MemoryItem]
    ) -> Sequence[Mapping[str, object]]:
        """The query is the last message, unless it alone is more than the budget."""
        query = frame.request.query
        asked = self.tokens.count(query) <= frame.request.budget_tokens
        return render_messages(frame.contents(items), query if asked else None)
