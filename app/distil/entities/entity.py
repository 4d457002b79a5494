"""Who and what messages speak of: entities, mentions, relations; and when two names are one."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.distil.entities.titles import untitled
from app.distil.language.lexicon import SAME_NAME
from app.distil.language.titles import TITLE_OF
from app.domain.entities import EntityType
from app.text.identifiers import parts, whole
from app.text.scripts import fold

_TITLE = re.compile(
    rf"\A(?:dr|prof|sir|(?-i:Miss)|{'|'.join(sorted(TITLE_OF.keys() - {'miss'}))})\.?\s+",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"\A(?:the|a|an)\s+", re.IGNORECASE)
_LEGAL = re.compile(r",?\s+(?:inc|ltd|llc|gmbh|ag|corp|co|plc|s\.?a)\.?\Z", re.IGNORECASE)
_VERSION = re.compile(r"\s+v?\d+(?:\.\d+){0,3}\Z")
_OWN = re.compile(r"['\u2019]s\Z")


SPELLED_EXACTLY = frozenset({EntityType.IDENTIFIER, EntityType.FILE, EntityType.URL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """content[start:stop] of a message names `normal`, an entity of `type`."""

    normal: str
    name: str
    type: EntityType
    start: int
    stop: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """`source` `type` `target`, both normal forms; `weight` above 0, up to 1, tells how sure."""

    source: str
    target: str
    type: str
    weight: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Gazetteer:
    """What is known already: the type of each normal form, and the normal form of each alias."""

    types: Mapping[str, EntityType] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    def resolve(self, normal: str) -> str:
        return self.aliases.get(normal, normal)


NOTHING_KNOWN = Gazetteer()


def normal_form(name: str, kind: EntityType = EntityType.UNKNOWN) -> str:
    """
    What spellings of one name share: "Dr. Bob Smith" is "bob smith", "Postgres 16" "postgresql".

    Names in code are one however they are spelled; a URL loses its scheme and its last slash;
    files and identifiers are only folded.
    """
    if kind is EntityType.URL:
        return re.sub(r"\Ahttps?://(?:www\.)?", "", name.casefold()).rstrip("/")
    if kind in SPELLED_EXACTLY:
        compound = parts(name) if name.replace("_", "").isalnum() else [name]
        return fold(whole(compound)) if len(compound) > 1 else fold(name)
    folded = fold(bare_name(name))
    return SAME_NAME.get(folded, folded)


def bare_name(name: str) -> str:
    """A name of prose without title, article, legal form, version and genitive."""
    bare = _OWN.sub("", " ".join(name.split()))
    for part in (_TITLE, _ARTICLE, _LEGAL):
        bare = part.sub("", bare).strip()
    return _VERSION.sub("", bare) or bare


def alias_of(name: str, kind: EntityType, known: Iterable[tuple[str, EntityType]]) -> str | None:
    """
    The known normal form that normal form `name` is another name of; None for none, or for two.

    "bob" is "bob smith" where only one known person is called so, and the other way round a longer
    name than the known one is that person too. "labs" is "northwind labs", but what is longer than
    the name of an organisation may be another one. Of other types only equal ones are one.
    """
    candidates = {each for each, of in known if may_be_one(kind, of)}
    if name in candidates:
        return name
    if kind not in (EntityType.PERSON, EntityType.UNKNOWN, EntityType.ORGANISATION):
        return None
    longer = kind is not EntityType.ORGANISATION
    alike = {
        each for each in candidates if _is_part(name, each) or (longer and _is_part(each, name))
    }
    return alike.pop() if len(alike) == 1 else None


def may_be_one(kind: EntityType, other: EntityType) -> bool:
    """Whether what is of these types may be the same."""
    return kind is other or EntityType.UNKNOWN in (kind, other)


def _is_part(short: str, long: str) -> bool:
    """Whether a single name, or one with a title, is the first or the last of a longer one."""
    words: Sequence[str] = long.split()
    return len(words) in (2, 3) and untitled(short) in (words[0], words[-1])
