"""What summaries of the golden conversations keep, at a tenth and a fifth of the tokens."""

import pytest

from tests.distil.kept import annotated, conversations, measure, shares


@pytest.mark.parametrize(
    ("share", "decisions", "identifiers"), [(0.1, 0.36, 0.25), (0.2, 0.43, 0.42)]
)
def test_decisions_and_identifiers_are_kept_as_well_as_they_were(
    share: float, decisions: float, identifiers: float
) -> None:
    kept = measure(share)
    of_decisions, of_identifiers, of_tokens = shares(kept)
    assert of_tokens <= share
    assert of_decisions >= decisions, kept
    assert of_identifiers >= identifiers, kept


def test_what_is_annotated_was_said() -> None:
    said = {
        name: " ".join(each.content for each in messages).casefold().replace("`", "")
        for name, messages in conversations().items()
    }
    assert said.keys() == annotated().keys()
    missing = [
        (name, each)
        for name, wanted in annotated().items()
        for each in [*wanted["decisions"], *wanted["identifiers"]]
        if each.casefold() not in said[name]
    ]
    assert not missing
