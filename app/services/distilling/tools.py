"""The gist of what tools were asked and answered."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

from app.distil.facts.filing import mark_of
from app.distil.gist.calls import Call, calls_in, source_of, told_of
from app.domain.conversation import Message, Role
from app.domain.memories import NewMemory
from app.domain.memory import ItemType
from app.ports.store import Store, Transaction
from app.ports.stored import PreparedMemory
from app.services.distilling.step import Portion, Write
from app.services.memories.keep import MemoryKeeper
from app.text.echo import own_words

_IMPORTANCE = 4
_BEFORE = 20
"""Messages before a portion in which the calls of its answers are looked for."""

Called = Mapping[str, tuple[Message, Call]]
"""By the id of a call."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """Makes an item of each answer of a tool, and of each call that got none."""

    store: Store
    keeper: MemoryKeeper
    by_message: ClassVar[bool] = True

    async def distil(self, portion: Portion) -> Sequence[Write] | None:
        messages = portion.messages
        used = any(each.role is Role.TOOL or each.tool_calls for each in messages)
        if not used or not portion.flags.facts:
            return None
        called = await self._called(portion)
        new = await asyncio.to_thread(_items, portion, called)
        prepared = await self.keeper.preparer.prepare(new)

        async def write(each: PreparedMemory, transaction: Transaction) -> None:
            await self.keeper.store_in(transaction, [each], now=portion.now)

        return [partial(write, each) for each in prepared]

    async def _called(self, portion: Portion) -> Called:
        """The calls of the portion, and those that its answers tell of."""
        called = _calls(portion.messages)
        answers = [each.tool_call_id for each in portion.messages if each.role is Role.TOOL]
        if all(each is None or each in called for each in answers):
            return called
        async with self.store.observe() as observations:
            before = await observations.said_before(
                portion.tenant, portion.conversation, portion.messages[0].key, limit=_BEFORE
            )
        return {**_calls(before), **called}


def _calls(messages: Sequence[Message]) -> Called:
    return {
        call.id: (message, call)
        for message in messages
        for call in calls_in(message.tool_calls)
        if call.id is not None
    }


def _items(portion: Portion, called: Called) -> Sequence[NewMemory]:
    answered = {each.tool_call_id for each in portion.messages if each.role is Role.TOOL}
    items: list[NewMemory] = []
    for at, message in enumerate(portion.messages):
        if message.role is Role.TOOL:
            items.append(_answer(portion, message, called.get(message.tool_call_id or "")))
        elif message.tool_calls and _went_on(portion.messages[at + 1 :]):
            items += [
                _unanswered(portion, message, each, number)
                for number, each in enumerate(calls_in(message.tool_calls))
                if each.id is None or each.id not in answered
            ]
    return [each for each in items if not _is_unwanted(each, portion.messages)]


def _is_unwanted(item: NewMemory, messages: Sequence[Message]) -> bool:
    """Whether somebody deleted it: the last message that it cites is the one it is about."""
    own, mark = item.derived_from[-1], mark_of(item.subject)
    return any(each.id == own and mark in each.unwanted for each in messages)


def _went_on(behind: Sequence[Message]) -> bool:
    """Whether somebody spoke since, so that no answer is to be waited for."""
    return any(each.role in (Role.USER, Role.ASSISTANT) for each in behind)


def _answer(portion: Portion, message: Message, found: tuple[Message, Call] | None) -> NewMemory:
    asked, call = found or (None, None)
    content = own_words(message.content or "", message.echo)
    item = _item(portion, message, call.name if call else message.name)
    return replace(
        item,
        content=told_of(call, message.name, content),
        source=source_of(call, content),
        derived_from=[each.id for each in (asked, message) if each is not None],
    )


def _unanswered(portion: Portion, message: Message, call: Call, number: int) -> NewMemory:
    item = _item(portion, message, call.name)
    subject = f"tool|{message.id}|{number}"
    return replace(item, content=call.text, source=call.url, subject=subject)


def _item(portion: Portion, message: Message, tool: str | None) -> NewMemory:
    return NewMemory(
        type=ItemType.TOOL,
        content="",
        conversation_id=portion.conversation.id,
        subject=f"tool|{message.id}",
        importance=portion.importance_of(message, _IMPORTANCE),
        metadata={"tool": tool} if tool else {},
        valid_from=message.created_at,
        derived_from=[message.id],
        derived=True,
    )
