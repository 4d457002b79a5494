"""What messages add to the graph of a scope. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from app.distil.entities.entity import Mention, may_be_one, normal_form
from app.distil.entities.finding import MAX_CHARACTERS, mentions_of
from app.distil.entities.naming import names_told
from app.distil.entities.register import KnownName, Named, Register, looked_up
from app.distil.entities.relations import BOTH_WAYS, relations_of
from app.distil.entities.sameness import SAME_AS
from app.distil.entities.titles import Title, title_of, titled_in
from app.domain.entities import EntityType, Sighting
from app.domain.ids import MessageKey
from app.text.scripts import fold

OF_SPEAKER = -1
"""Where a speaker is mentioned who tells of themselves: nowhere in the text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """
    A message as it is read for entities; `speaker` is a person's name, if it is known.

    What repeats a bundle of ours is blanked out in `content`, of which the length stays. `seen` is
    what a model found in it.
    """

    key: MessageKey
    content: str
    said_at: datetime
    speaker: str | None = None
    seen: Sequence[Sighting] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMention:
    """`entity` is called `normal` in content[start:stop] of a message."""

    entity: Named
    normal: str
    message: MessageKey
    start: int
    stop: int
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvidence:
    """A message tells that `source` `relation` `target`, as sure as `weight`, in (0, 1]."""

    source: Named
    relation: str
    target: Named
    message: MessageKey
    weight: float
    said_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """What some messages of one scope add; the entities are those of `register`."""

    register: Register
    mentions: list[NewMention] = field(default_factory=list)
    evidence: list[NewEvidence] = field(default_factory=list)


def links_of(messages: Sequence[Spoken], known: Sequence[KnownName]) -> Links:
    """
    What `messages`, in their order, add to what is `known` of their names.

    What one message makes known, the next is read with, as if they had come one by one.
    """
    links = Links(register=Register(known))
    for message in messages:
        if message.speaker:
            links.register.hear(message.speaker)
        _Reading(message, links).read()
    return links


@dataclass(frozen=True, slots=True)
class _Reading:
    """One message being read; `meant` are its entities by the normal forms of its mentions."""

    message: Spoken
    links: Links
    meant: dict[str, Named] = field(default_factory=dict)

    def read(self) -> None:
        register, content = self.links.register, self.message.content
        found = mentions_of(content, register.gazetteer(), self.message.seen)
        mentions = [
            noted for each in found if register.may_mean(each) and (noted := self._note(each))
        ]
        told: dict[tuple[str, tuple[int, ...]], NewEvidence] = {}
        for evidence in self._evidence(mentions):
            ends = _ends(evidence)
            if ends not in told or told[ends].weight < evidence.weight:
                told[ends] = evidence
        self.links.evidence.extend(told.values())

    def _note(self, mention: Mention) -> Mention | None:
        """The mention, of two who have one name by the title of each; None for one that is none."""
        title = _title_of(self.message.content, mention)
        called = self.links.register.called(mention.name, mention.type, title)
        if called is None:
            return None
        mention = replace(mention, normal=called[1]) if title else mention
        self.meant[mention.normal] = called[0]
        self._add(called, mention.start, mention.stop)
        return mention

    def _add(self, called: tuple[Named, str], start: int, stop: int) -> None:
        entity, normal = called
        self.links.mentions.append(
            NewMention(
                entity=entity,
                normal=normal,
                message=self.message.key,
                start=start,
                stop=stop,
                said_at=self.message.said_at,
            )
        )

    def _evidence(self, mentions: Sequence[Mention]) -> Iterator[NewEvidence]:
        speaker = self.message.speaker
        for relation in relations_of(self.message.content, mentions, speaker):
            source, target = self._entity(relation.source), self._entity(relation.target)
            if source is None or target is None or source is target:
                continue
            if relation.type == SAME_AS and not may_be_one(source.type, target.type):
                continue
            yield NewEvidence(
                source=source,
                relation=relation.type,
                target=target,
                message=self.message.key,
                weight=relation.weight,
                said_at=self.message.said_at,
            )

    def _entity(self, normal: str) -> Named | None:
        """Whom a relation names: what the message mentions, or who says it."""
        speaker = self.message.speaker
        if normal not in self.meant and speaker and normal == fold(speaker):
            called = self.links.register.called(speaker, EntityType.PERSON)
            if called is None:
                return None
            self.meant[normal] = called[0]
            self._add(called, OF_SPEAKER, OF_SPEAKER)
        return self.meant.get(normal)


def _title_of(content: str, mention: Mention) -> Title | None:
    """The title of somebody who is mentioned, if there is any."""
    of_somebody = mention.type in (EntityType.PERSON, EntityType.UNKNOWN)
    return title_of(content, mention.start, mention.name) if of_somebody else None


def _ends(evidence: NewEvidence) -> tuple[str, tuple[int, ...]]:
    """What a message states but once: of some relations it is all one which end is the source."""
    ends = id(evidence.source), id(evidence.target)
    in_order = sorted(ends) if evidence.relation in BOTH_WAYS else ends
    return evidence.relation, tuple(in_order)


def names_of(messages: Sequence[Spoken]) -> frozenset[str]:
    """All normal forms that must be known, or known to be new, for the links of `messages`."""
    speakers = {normal_form(each.speaker, EntityType.PERSON) for each in messages if each.speaker}
    seen = {
        normal_form(each.content[one.start : one.stop], one.type)
        for each in messages
        for one in each.seen
    }
    told = (names_told(each.content) for each in messages)
    entitled = (titled_in(each.content[:MAX_CHARACTERS]) for each in messages)
    return looked_up(speakers.union(seen, *told, *entitled))
