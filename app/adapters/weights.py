"""The weights of relevance, from a file."""

from importlib.resources import files
from pathlib import Path

from app.domain.errors import UnreadableWeights
from app.ranking.model import RelevanceModel


def read_weights(path: Path | None) -> RelevanceModel:
    """
    The weights in `path`, or the ones that are shipped.

    Raises:
        UnreadableWeights: There is no such file, or it does not fit this release.
    """
    source = files("app.ranking") / "weights.json" if path is None else path
    try:
        return RelevanceModel.from_text(source.read_text(encoding="utf-8"))
    except OSError as error:
        raise UnreadableWeights(f"{source}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UnreadableWeights(f"{source}: is no text") from error
    except UnreadableWeights as error:
        raise UnreadableWeights(f"{source}: {error}") from error
