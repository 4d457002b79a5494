"""What a question leans on: what was said before it in the running conversation."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from app.distil.entities.entity import NOTHING_KNOWN, Gazetteer
from app.distil.entities.finding import mentions_of
from app.distil.entities.naming import names_in
from app.distil.facts.told import speakers_of
from app.distil.language.given_names import GIVEN_NAMES
from app.distil.language.lexicon import OTHER_WORDS
from app.domain.context import ContextRequest
from app.domain.conversation import Conversation, Message, Role
from app.domain.entities import EntityType
from app.domain.ids import MessageId
from app.ports.store import Snapshot, Store
from app.services.context.answering import answer_named, answered
from app.services.context.antecedents import Naming, is_name_of, known_apart, spoken_of
from app.services.context.renaming import renamed
from app.services.context.situation import Situation
from app.services.context.understanding import wanted
from app.text.leaning import gone_on_with, leans, points_at_answer
from app.text.overview import asks_about_asker
from app.text.small_talk import is_small_talk
from app.text.somebody import before_somebody, named_instead, points_at_somebody, says_she
from app.text.times import timed

_LOOKED_AT = 8
"""Messages at the end of a conversation, one of which a question leans on, or none."""

_READ = 300
"""Characters at the end of what a question leans on."""

_SEARCHED = 2_000
"""Characters at the end of a message in which somebody may be named."""

_TALKS = frozenset({Role.USER, Role.ASSISTANT})

_GIVEN = GIVEN_NAMES - OTHER_WORDS
"""Names that say that somebody is named, however they are typed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Follower:
    """Finds what a question leans on; most can do without, and nothing is read for them."""

    store: Store

    async def followed(
        self, request: ContextRequest, situation: Situation, now: datetime
    ) -> tuple[ContextRequest, MessageId | None]:
        """
        The request for what its question leans on as well, and the message that said that.

        "She" is whoever was named last. Where that does not make it understood, it leans on what
        the user said last that leans on nothing itself; the question may be stored already.

        Raises:
            StoreUnavailable: What was said could not be read.
        """
        running, query = situation.conversation, request.query
        points = points_at_somebody(query)
        if running is None or not (points or leans(query)) or asks_about_asker(query):
            return request, None
        async with self.store.read(situation.tenant) as snapshot:
            tail = await _tail(snapshot, running, situation)
            named = await _named_last(snapshot, query, tail, situation) if points else None
        if named:
            request = replace(request, query=named_instead(query, named.name))
        before = _before(query, tail) if leans(request.query) else None
        if before is None:
            return request, named.by if named else None
        return _following(before, request, now), before.message.id


@dataclass(frozen=True, slots=True)
class _Named:
    name: str
    by: MessageId


async def _tail(
    snapshot: Snapshot, running: Conversation, situation: Situation
) -> Sequence[Message]:
    opening = await snapshot.recall.opening(
        running, within=situation.within, most=_LOOKED_AT, kept=0, summary=None
    )
    return opening.tail


async def _named_last(
    snapshot: Snapshot, query: str, tail: Sequence[Message], situation: Situation
) -> _Named | None:
    """Whom the newest message names that names anybody who may be meant; the first, if several."""
    named = list(_naming(query, tail))
    others = names_in(query) | _of_the_other_kind(query, named)
    speakers = speakers_of(situation.scope.user_id)
    normals = {mention.normal for each in named for mention in spoken_of(each)}
    known = await snapshot.graph.known(situation.scope.key, normals | others)
    persons = {each.normal for each in known if each.type is EntityType.PERSON}
    if (persons | _GIVEN) & names_in(before_somebody(query)):
        return None
    for each in named:
        for mention in spoken_of(each):
            person = mention.type is EntityType.PERSON or mention.normal in persons
            if person and mention.normal not in others and not is_name_of(mention, speakers):
                return _Named(mention.name, each.message.id)
    return None


def _of_the_other_kind(query: str, named: Sequence[Naming]) -> frozenset[str]:
    """Men where it says "she", women where it says "he", as far as that was told."""
    women, men = known_apart(named)
    return men if says_she(query) else women


def _naming(query: str, tail: Sequence[Message]) -> Iterator[Naming]:
    """What may be people in each message; the newest message first."""
    asked = ["", *((each.content or "")[-_READ:] for each in tail)]
    for before, each in reversed(list(zip(asked, tail, strict=False))):
        content = (each.content or "").strip()
        if each.role in _TALKS and content != query.strip():
            answer = answer_named(before, content) if each.role is Role.ASSISTANT else None
            content = content[-_SEARCHED:]
            yield Naming(each, content, mentions_of(content), answer)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Before:
    """
    The message that a question leans on, what was said behind it that leans on it too, oldest
    first, the reply to it, and all that was `said` from it on.
    """

    message: Message
    since: Sequence[str]
    reply: str
    said: Sequence[str]

    def known(self, questions: Sequence[str]) -> Gazetteer:
        """The names that all of it holds, which only questions that may name another need."""
        if not any(gone_on_with(each) for each in questions):
            return NOTHING_KNOWN
        named = (name for each in self.said for name in mentions_of(each))
        return Gazetteer(types={name.normal: name.type for name in named})


def _following(before: _Before, request: ContextRequest, now: datetime) -> ContextRequest:
    """
    The request for what was said `before` as well; who or what is named since, and a time that it
    names itself, are those.
    """
    said, _ = wanted((before.message.content or "").strip())
    said = said[-_READ:]
    known = before.known([*before.since, request.query])
    for each in before.since:
        other = renamed(said, each, known)
        said = other.asked if other else said
    if other := renamed(said, request.query, known):
        said = other.asked
    elif points_at_answer(request.query):
        said = " ".join([said, *answered(before.message.content or "", before.reply)])
    if timed(request.query, now).intervals:
        said = timed(said, now).rest
    asked = said if other and not other.more else f"{said} {request.query}"
    return replace(request, query=asked, follows_up=other is None)


def _before(query: str, tail: Sequence[Message]) -> _Before | None:
    """What the user said last that leans on nothing; None where nothing was said that does not."""
    since, reply, said = list[str](), "", list[str]()
    for each in reversed(tail):
        content = (each.content or "").strip()
        if content == query.strip() or each.role not in _TALKS:
            continue
        said.append(content[-_READ:])
        if each.role is Role.ASSISTANT:
            reply = content
        elif leans(content):
            since.append(content[-_READ:])
        elif not is_small_talk(content):
            return _Before(message=each, since=since[::-1], reply=reply, said=said)
    return None
