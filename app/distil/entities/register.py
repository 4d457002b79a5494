"""Which entity a name means: one that is known already, or a new one. Pure, and in memory."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from app.distil.entities.entity import (
    SPELLED_EXACTLY,
    Gazetteer,
    Mention,
    alias_of,
    bare_name,
    normal_form,
)
from app.distil.entities.titles import Title, beside, kind_of_title, may_have, titled, untitled
from app.distil.language.lexicon import EMPLOYERS, OTHER_WORDS
from app.distil.language.world import WORLD
from app.domain.entities import EntityType

_KNOWN_TO_ALL = WORLD.keys() | EMPLOYERS
"""Whose names are no parts of others: "Amazon" is not "Amazon Web Services"."""

MOST_CHARACTERS = 255
"""Of a name that is kept; what is longer (a URL, a path) is no entity."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownName:
    """
    That entity `entity` is called `normal`, or, where it was never `said`, may be: "smith" is a
    part of "bob smith". `key` is that of the name, `full` the normal form of the fullest one.
    """

    key: int
    normal: str
    name: str
    said: bool
    entity: int
    full: str
    full_name: str
    type: EntityType


@dataclass(slots=True, kw_only=True)
class Name:
    """A name of an entity; `key` is None for one that comes in."""

    name: str
    said: bool
    key: int | None = None
    changed: bool = False


@dataclass(slots=True, kw_only=True)
class Named:
    """An entity with its names by their normal forms; `key` is None for one that comes in."""

    key: int | None
    normal: str
    name: str
    type: EntityType
    names: dict[str, Name] = field(default_factory=dict)
    changed: bool = False


class Register:
    """
    The entities that some names may mean.

    A name means the entity that it is the fullest name of. Else it may be a shorter or a longer
    name of a person or an organisation that is known ("bob", "bob smith"): if it may be of two, it
    is neither's, and a new entity. Who has another title is somebody else.
    """

    def __init__(self, known: Iterable[KnownName] = ()) -> None:
        self._named: dict[int, Named] = {}
        self._called: defaultdict[str, list[Named]] = defaultdict(list)
        self._speakers: set[str] = set()
        self.new: list[Named] = []
        for each in known:
            named = self._named.setdefault(
                each.entity,
                Named(key=each.entity, normal=each.full, name=each.full_name, type=each.type),
            )
            self._call(named, each.normal, Name(name=each.name, said=each.said, key=each.key))

    @property
    def changed(self) -> Sequence[Named]:
        """Those of before that have another type or fullest name now."""
        return [each for each in self._named.values() if each.changed]

    def entities(self) -> Sequence[Named]:
        return [*self._named.values(), *self.new]

    def gazetteer(self) -> Gazetteer:
        """What may be recognised by its name alone, however it is spelled."""
        types, aliases = {each.normal: each.type for each in self.entities()}, dict[str, str]()
        for normal in self._speakers:
            if types.get(normal, EntityType.UNKNOWN) is EntityType.UNKNOWN:
                types[normal] = EntityType.PERSON
        for normal, several in self._called.items():
            if len(several) == 1 and normal not in types and _has_short_names(several[0].type):
                aliases[normal] = several[0].normal
        return Gazetteer(types=types, aliases=aliases)

    def may_mean(self, mention: Mention) -> bool:
        """
        Whether a mention is one: what is in lower case is a known name only if something of a known
        type was called by it, not by a longer name alone; names in code are spelled as they are.
        """
        if not mention.name.islower():
            return True
        normal = normal_form(mention.name, mention.type)
        called = self._called.get(normal, ())
        told = (
            each.type is not EntityType.UNKNOWN
            and each.names[normal].said
            and (each.type is not EntityType.IDENTIFIER or each.name == mention.name)
            for each in called
        )
        return mention.name not in OTHER_WORDS and (not called or any(told))

    def hear(self, speaker: str) -> None:
        """Somebody of this name speaks: who is called so is a person."""
        self._speakers.add(normal_form(speaker, EntityType.PERSON))

    def find(self, normal: str, kind: EntityType = EntityType.UNKNOWN) -> Named | None:
        """The known entity that a name means; None for none, or for two."""
        called = self._called.get(normal, ())
        for each in called:
            if each.normal == normal:
                return each
        if kind in SPELLED_EXACTLY or (kind is EntityType.ORGANISATION and normal in _KNOWN_TO_ALL):
            return None
        alike = [*called, *self._shorter(normal)]
        candidates = {each.normal: each for each in alike if _has_short_names(kind, each.type)}
        alias = alias_of(normal, kind, [(each.normal, each.type) for each in candidates.values()])
        return None if alias is None else candidates[alias]

    def called(
        self, said: str, kind: EntityType, title: Title | None = None
    ) -> tuple[Named, str] | None:
        """
        What `said`, of who has `title`, means, a new entity if need be, with the normal form by
        which it does.

        None for a name that is not kept.
        """
        normal = normal_form(said, kind)
        name = said if kind in SPELLED_EXACTLY else bare_name(said)
        if not normal or max(len(normal), len(name)) > MOST_CHARACTERS:
            return None
        named = self.find(normal, kind)
        if title and (own := titled(title, normal)):
            named = self._of_title(own) or (named if _may_have(named, own) else None)
            normal, name = own, name if named else f"{title.said} {name}"
        if named is None:
            named = Named(key=None, normal=normal, name=name, type=kind)
            self.new.append(named)
        self._learn(named, normal, name, kind)
        return named, normal

    def _of_title(self, own: str) -> Named | None:
        """Who is called so with this title, if anybody was."""
        return next(iter(self._called.get(own, ())), None)

    def _learn(self, named: Named, normal: str, name: str, kind: EntityType) -> None:
        known = named.names.get(normal)
        if known is None:
            self._call(named, normal, Name(name=name, said=True))
        elif not known.said:
            known.said, known.changed = True, True
        if named.type is EntityType.UNKNOWN and kind is not EntityType.UNKNOWN:
            named.type, named.changed = kind, True
        if fuller(normal, named.normal):
            named.normal, named.name, named.changed = normal, name, True
        if kind not in SPELLED_EXACTLY:
            for part, told in parts_of(normal, name):
                if part not in named.names:
                    self._call(named, part, Name(name=told, said=False))

    def _call(self, named: Named, normal: str, name: Name) -> None:
        named.names[normal] = name
        self._called[normal].append(named)

    def _shorter(self, normal: str) -> Iterable[Named]:
        """Whoever is known by a part of this name only, if nobody else is called so."""
        for part, _ in parts_of(normal, normal):
            called = self._called.get(part, ())
            if len(called) == 1 and untitled(called[0].normal) == part:
                title = kind_of_title(called[0].normal)
                if title is None or may_have(title, normal):
                    yield called[0]


def _may_have(named: Named | None, own: str) -> bool:
    """Whether an entity may have this name with a title: it has no other one."""
    if named is None or not named.names.keys().isdisjoint(beside(own)):
        return False
    return may_have(own.partition(" ")[0], named.normal)


def _has_short_names(*kinds: EntityType) -> bool:
    """Whether a part of a name may stand for it: "Pride" is not "Pride Month"."""
    return EntityType.PERSON in kinds or EntityType.ORGANISATION in kinds


def fuller(one: str, other: str) -> bool:
    """Whether a name tells more than another one of the same entity."""
    return untitled(one).count(" ") > untitled(other).count(" ")


def parts_of(normal: str, name: str) -> Sequence[tuple[str, str]]:
    """The first and the last word of a name of two or three, no title, with how each is spelled."""
    words, told = normal.split(), name.split()
    if len(words) not in (2, 3):
        return []
    if len(told) != len(words):
        told = words
    if kind_of_title(normal):
        return [(words[-1], told[-1])]
    return [(words[0], told[0]), (words[-1], told[-1])]


def looked_up(normals: Iterable[str]) -> frozenset[str]:
    """The names that a register must know to tell what these mean."""
    wanted = {each for each in normals if len(each) <= MOST_CHARACTERS}
    return frozenset(wanted.union(part for each in wanted for part, _ in parts_of(each, each)))
