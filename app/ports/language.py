"""What ranking and distilling ask of models of language, where one is set."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from app.domain.entities import Sighting
from app.ranking import Floats


class Reranker(Protocol):
    """A model that reads a query and a text together."""

    @property
    def model(self) -> str: ...

    async def score(self, query: str, texts: Sequence[str], *, seconds: float) -> Floats:
        """
        How well each text answers `query`: shape (len(texts),), more is better, on any scale.

        Of what is long the beginning is read. What cannot be done within `seconds` is dropped.

        Raises:
            RerankerUnavailable: The model does not answer, however it fails.
            RerankerBusy: Too many wait for it already.
            TimeoutError: It was not done in time.
        """
        ...


class Recogniser(Protocol):
    """Finds names that no rule finds. It computes, so it is asked off the event loop."""

    def recognise(self, texts: Sequence[str]) -> Sequence[Sequence[Sighting]]:
        """
        What each of `texts` names.

        Raises:
            RecogniserUnavailable: It fails, however that comes.
        """
        ...


class LanguageModel(Protocol):
    """Answers with JSON. Nothing depends on it but quality."""

    async def answer(
        self, *, instructions: str, material: str, schema: Mapping[str, Any], most: int
    ) -> Any:  # noqa: ANN401  (any JSON; whoever asked checks it)
        """
        What the model makes of `material`: parsed JSON, which may not fit `schema` all the same.

        Args:
            most: Tokens that the answer may have.

        Raises:
            LanguageModelUnavailable: It does not answer, or not with JSON, however that comes.
        """
        ...
