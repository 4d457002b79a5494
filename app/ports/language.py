"""What distilling asks of models of language, where one is set."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from app.domain.entities import Sighting


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
