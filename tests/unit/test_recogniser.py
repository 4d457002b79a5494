"""Names that a model finds beside the rules; the model itself is a stand-in of spaCy's shape."""

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import pytest

from app.adapters.recogniser import SpacyRecogniser, open_spacy
from app.adapters.sql.store import SqlStore
from app.distil.entities.finding import mentions_of
from app.domain.entities import EntityType, Sighting
from app.domain.errors import RecogniserUnavailable
from app.services.distilling.linking import Linker
from app.settings import DistilSettings
from app.wiring.models import open_recogniser
from tests.api.speaking import settings_for
from tests.factories import ACME
from tests.fakes import Memory

TEXT = "yesterday jonas krull of Tessaria wrote to ops@example.org about https://tessaria.example"


@dataclass(frozen=True)
class Found:
    """A `Span` as far as it is read."""

    start_char: int
    end_char: int
    label_: str


@dataclass(frozen=True)
class Document:
    ents: Sequence[Found]


@dataclass(frozen=True)
class Pipeline:
    """Finds these words wherever they stand."""

    names: dict[str, str]
    broken: bool = False

    def pipe(self, texts: Iterable[str]) -> Iterator[Document]:
        for text in texts:
            if self.broken:
                raise ValueError(text)
            spans = [
                Found(text.index(name), text.index(name) + len(name), label)
                for name, label in self.names.items()
                if name in text
            ]
            yield Document(spans)


KRULL = Pipeline({"jonas krull": "PERSON", "Tessaria": "ORG", "yesterday": "DATE"})


def a_spacy(monkeypatch: pytest.MonkeyPatch, **models: Pipeline) -> None:
    """A module of that name, which loads these models."""

    def load(name: str) -> Pipeline:
        if name not in models:
            raise OSError(name)
        return models[name]

    module = ModuleType("spacy")
    module.load = load  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "spacy", module)


def test_a_loaded_model_tells_what_texts_name(monkeypatch: pytest.MonkeyPatch) -> None:
    a_spacy(monkeypatch, en=KRULL)
    first, second = open_spacy("en").recognise([TEXT, "Nothing."])
    assert [(TEXT[each.start : each.stop], each.type) for each in first] == [
        ("jonas krull", EntityType.PERSON),
        ("Tessaria", EntityType.ORGANISATION),
    ]
    assert second == []


def test_what_is_missing_is_told_in_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "spacy", None)
    with pytest.raises(RecogniserUnavailable, match="the extra `spacy` is not installed"):
        open_spacy("en")
    a_spacy(monkeypatch)
    with pytest.raises(RecogniserUnavailable, match="no model 'en': python -m spacy download en"):
        open_spacy("en")


def test_what_a_model_found_is_a_mention_unless_it_is_understood_already() -> None:
    person = Sighting(start=10, stop=21, type=EntityType.PERSON)
    inside = Sighting(start=16, stop=21, type=EntityType.PLACE)
    address = TEXT.index("https")
    url = Sighting(start=address, stop=address + 10, type=EntityType.PRODUCT)
    blank = Sighting(start=9, stop=15, type=EntityType.PLACE)
    found = mentions_of(TEXT, seen=[url, inside, person, blank])
    assert {(each.name, each.type) for each in found} >= {
        ("jonas krull", EntityType.PERSON),
        ("https://tessaria.example", EntityType.URL),
    }
    assert len(found) == len({each.start for each in found})
    assert "krull" not in {each.name for each in found}
    plain = {each.name for each in mentions_of(TEXT)}
    assert "jonas krull" not in plain


BROKEN = Pipeline({"jonas krull": "PERSON"}, broken=True)


@pytest.mark.parametrize(("pipeline", "linked"), [(KRULL, {"jonas krull"}), (BROKEN, set())])
async def test_what_a_model_found_is_linked(
    store: SqlStore, pipeline: Pipeline, linked: set[str]
) -> None:
    """One that fails costs nothing but what it would have found."""
    memory = Memory(store)
    recogniser = SpacyRecogniser(pipeline)
    memory.consolidator.steps = [Linker(store=store, new_id=memory.ids, recogniser=recogniser)]
    stored = await memory.say(TEXT)
    await memory.distil()
    async with store.read(ACME) as snapshot:
        conversation = await snapshot.conversations.get(stored.conversation_id)
        asked = frozenset({"jonas krull", "tessaria"})
        known = await snapshot.graph.known(conversation.scope, asked)
    assert {each.name for each in known if each.said} - {"Tessaria"} == linked
    assert memory.telemetry.messages_distilled == 1


def test_spacy_itself_is_spoken_to_as_it_wants() -> None:
    spacy = pytest.importorskip("spacy", reason="the extra `spacy` is not installed")
    pipeline = spacy.blank("en")
    ruler = pipeline.add_pipe("entity_ruler")
    ruler.add_patterns(
        [{"label": "ORG", "pattern": "Tessaria"}, {"label": "DATE", "pattern": "yesterday"}]
    )
    ((found,),) = SpacyRecogniser(pipeline).recognise([TEXT])
    assert TEXT[found.start : found.stop] == "Tessaria"
    assert found.type is EntityType.ORGANISATION


async def test_without_it_the_service_starts_all_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    a_spacy(monkeypatch, en=KRULL)
    for model, is_there in (("en", True), ("de", False)):
        settings = settings_for(tmp_path, distil=DistilSettings(spacy_model=model))
        recogniser = await open_recogniser(settings)
        assert (recogniser is not None) == is_there
    assert "names are found by rules alone" in caplog.text
