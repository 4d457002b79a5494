"""Names as a model of spaCy finds them, where the extra `spacy` and that model are installed."""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from app.domain.entities import EntityType, Sighting
from app.domain.errors import RecogniserUnavailable

TYPES = {
    **dict.fromkeys(("PERSON", "PER"), EntityType.PERSON),
    "ORG": EntityType.ORGANISATION,
    **dict.fromkeys(("GPE", "LOC", "FAC"), EntityType.PLACE),
    "PRODUCT": EntityType.PRODUCT,
}
"""By spaCy's labels, those of its English models and of those in other languages."""


@dataclass(frozen=True, slots=True)
class SpacyRecogniser:
    """Asks a loaded pipeline."""

    pipeline: Any
    """`spacy.Language`, of which `pipe` is asked, and of its documents `ents`."""

    def recognise(self, texts: Sequence[str]) -> Sequence[Sequence[Sighting]]:
        try:
            return [
                [
                    Sighting(start=each.start_char, stop=each.end_char, type=TYPES[each.label_])
                    for each in document.ents
                    if each.label_ in TYPES
                ]
                for document in self.pipeline.pipe(texts)
            ]
        except Exception as error:
            raise RecogniserUnavailable(type(error).__name__) from error


def open_spacy(model: str) -> SpacyRecogniser:
    """
    Load a model by the name of its package, or by its folder; spaCy is imported only now.

    Raises:
        RecogniserUnavailable: spaCy or the model is not there.
    """
    try:
        spacy = import_module("spacy")
    except ImportError as error:
        raise RecogniserUnavailable("the extra `spacy` is not installed") from error
    try:
        return SpacyRecogniser(spacy.load(model))
    except (OSError, ValueError) as error:
        reason = f"spaCy has no model {model!r}: python -m spacy download {model}"
        raise RecogniserUnavailable(reason) from error
