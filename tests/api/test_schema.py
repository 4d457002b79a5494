"""The description of the API holds for what is asked by it, well and badly formed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import negative_data_rejection, positive_data_acceptance

from tests.api.serving import run, serving

CASES = 20
"""Of each operation, well formed, and as many again badly formed."""
TOO_LONG_A_LINE = "Invalid HTTP request received."
"""What the HTTP parser says below us, of an address of more than 64 KiB."""

NOT_CHECKED = [positive_data_acceptance, negative_data_rejection]
"""
That all is accepted that has the described shape: some rules are none of shape, such as that
content may be null only where there are tool calls. And that nothing else is: "5" and 5.0 are read
as 5.
"""


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("schema")


@pytest.fixture(scope="module")
def key(directory: Path) -> str:
    command = ("keys", "create", "--tenant", "acme", "--name", "schema")
    made = run(directory, *command, "--scopes", "read,write,admin", "--json")
    return str(json.loads(made.stdout)["key"])


@pytest.fixture(scope="module")
def described(directory: Path) -> Iterator[Any]:
    """The API as the running server describes it."""
    with serving(directory, DATABASE__DURABLE="false") as server:
        yield schemathesis.openapi.from_url(f"{server.url}/openapi.json")


@pytest.mark.parametrize("mode", GenerationMode)
def test_what_is_described_is_what_happens(described: Any, key: str, mode: GenerationMode) -> None:
    operations = [each.ok() for each in described.get_all_operations()]
    assert len(operations) >= 18
    for operation in operations:
        if mode is GenerationMode.POSITIVE or takes_anything(operation):
            ask(operation, mode, key)


def takes_anything(operation: Any) -> bool:
    return bool(operation.body) or any(True for _ in operation.iter_parameters())


def ask(operation: Any, mode: GenerationMode, key: str) -> None:
    @settings(
        max_examples=CASES,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def call(case: Any) -> None:
        answer = case.call(headers={"Authorization": f"Bearer {key}"})
        if answer.text != TOO_LONG_A_LINE:
            case.validate_response(answer, excluded_checks=NOT_CHECKED)

    call()
