"""A model may say of names, numbers and addresses only what it could have read."""

import pytest

from app.distil.gist.checking import invented


def test_numbers_and_identifiers_must_have_been_said() -> None:
    assert invented("OPS-12 is due on 3 May.", "ops-12, by 3 May") == frozenset()
    assert invented("OPS-12 costs 1,200.", "OPS-12") == {"1,200"}
    assert "OPS-13" in invented("OPS-13", "OPS-12")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It runs on https://evil.example/pay.", "https://evil.example/pay"),
        ("Write to bob@example.org.", "bob@example.org"),
        ("It stands in deploy.yaml now.", "deploy.yaml"),
        ("It stands in `ops/deploy.yaml`.", "ops/deploy.yaml"),
        ("It reads /etc/passwd, too.", "/etc/passwd"),
        ("It reads ~/.ssh first.", "~/.ssh"),
        ("The service is `billing-api`.", "billing-api"),
        ("Write it into report.c.", "report.c"),
    ],
)
def test_addresses_paths_and_files_must_have_been_said(text: str, name: str) -> None:
    assert name in invented(text, "The report.csv of billing is due at example.org.")
    assert invented(text, f"User: it is {name.upper()}!") == frozenset()


@pytest.mark.parametrize(
    "text",
    [
        "A long-term follow-up of the well-known e-mail and/or chat.",
        "It costs 5 €/month, i.e. too much, 24/7.",
        "The file https://www.example.org/a/ is DEPLOY.YAML.",
        "They use Node.js and Express.js.",
    ],
)
def test_what_was_said_otherwise_is_not_invented(text: str) -> None:
    said = "5 €, 24/7, http://example.org/a, (ops/deploy.yaml), node with expressjs"
    assert invented(text, said) == frozenset()


def test_names_stand_in_scripts_without_spaces() -> None:
    said = "请看deploy.yaml文件"
    assert invented("修改了deploy.yaml。", said) == frozenset()
    assert invented("修改了other.yaml。", said) == {"修改了other.yaml"}
