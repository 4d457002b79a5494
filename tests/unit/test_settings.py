import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from app.settings import CONFIG_VARIABLE, PREFIX, Settings, SettingsError, load_settings


@pytest.fixture(autouse=True)
def no_settings_around(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [each for each in os.environ if each.upper().startswith(PREFIX)]:
        monkeypatch.delenv(name)


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    return monkeypatch


def a_file(directory: Path, text: str) -> str:
    path = directory / "foreword.toml"
    path.write_text(text)
    return str(path)


def test_without_anything_given_the_defaults_hold(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("XDG_DATA_HOME", "/data")
    environment.setenv("XDG_CACHE_HOME", "/cache")
    settings = load_settings()
    assert settings.data_dir == Path("/data/foreword")
    assert settings.model_cache == Path("/cache/foreword/models")
    assert settings.database_url == "sqlite+aiosqlite:////data/foreword/foreword.db"
    assert settings.qdrant.url is None
    assert settings.server.host == "127.0.0.1"


def test_without_a_data_home_it_is_in_the_users_home(environment: pytest.MonkeyPatch) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CACHE_HOME"):
        environment.delenv(name, raising=False)
    environment.setenv("HOME", "/home/ann")
    settings = load_settings()
    assert settings.data_dir == Path("/home/ann/.local/share/foreword")
    assert settings.model_cache == Path("/home/ann/.cache/foreword/models")


def test_a_database_url_is_a_secret_until_it_is_used() -> None:
    url = "postgresql+asyncpg://ann:hunter2@db/memory"
    settings = load_settings(database={"url": url})
    assert settings.database_url == url
    assert "hunter2" not in repr(settings)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("FOREWORD_DATA_DIR", "/srv/x", lambda s: s.data_dir == Path("/srv/x")),
        ("foreword_data_dir", "/srv/x", lambda s: s.data_dir == Path("/srv/x")),
        ("FOREWORD_SERVER__PORT", "9000", lambda s: s.server.port == 9000),
        ("FOREWORD_QDRANT", '{"url": "http://q"}', lambda s: s.qdrant.url == "http://q"),
        ("FOREWORD_DATABASE__DURABLE", "false", lambda s: s.database.durable is False),
        ("FOREWORD_RETRIEVAL__FLOOR", "0", lambda s: s.retrieval.floor == 0),
    ],
)
def test_a_variable_sets(
    environment: pytest.MonkeyPatch, name: str, value: str, expected: Any
) -> None:
    environment.setenv(name, value)
    assert expected(load_settings())


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOREWORD_DATABASE__URL", "postgresql+asyncpg://ann:p#w/d?[x:y@db:5432/memory"),
        ("FOREWORD_DATABASE__URL", "postgresql+asyncpg://ann@[::1]:5432/memory"),
        ("FOREWORD_DATABASE__URL", "postgresql+asyncpg://ann:secret@/memory?host=/run/pg"),
        ("FOREWORD_DATABASE__URL", "sqlite+aiosqlite:////srv/a:b/c.db"),
        ("FOREWORD_QDRANT__URL", "http://[::1]:6333/behind/"),
        ("FOREWORD_QDRANT__URL", "HTTPS://ann:secret@qdrant"),
        ("FOREWORD_QDRANT__URL", ":memory:"),
        ("FOREWORD_EMBEDDER__BASE_URL", "https://api.openai.com/v1"),
    ],
)
def test_an_address_that_can_be_asked_is_taken_as_it_is(
    environment: pytest.MonkeyPatch, name: str, value: str
) -> None:
    environment.setenv(name, value)
    section, field = name.removeprefix(PREFIX).lower().split("__")
    taken = getattr(getattr(load_settings(), section), field)
    assert (taken.get_secret_value() if section == "database" else taken) == value


@pytest.mark.parametrize(
    "name",
    [
        "FOREWORD_PORT",
        "FOREWORD_DATA_DIRR",
        "FOREWORD_SERVER__PROT",
        "FOREWORD_SERVERS__PORT",
        "FOREWORD_",
        "foreword_nothing",
        "FOREWORD_DATA_DIR__X",
        "FOREWORD_SERVER__PORT__X",
        "FOREWORD_CONFIG__X",
    ],
)
def test_an_unknown_variable_is_refused_by_name(environment: pytest.MonkeyPatch, name: str) -> None:
    environment.setenv(name, "1")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    message = str(caught.value)
    assert name.upper().removesuffix("__X") in message.upper()
    assert "\n" not in message


def test_variables_of_others_are_none_of_ours(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FOREWORDS_PORT", "1")
    environment.setenv("MY_FOREWORD_PORT", "1")
    assert load_settings().server.port == 8000


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("FOREWORD_SERVER__PORT", "70000"),
        ("FOREWORD_SERVER__PORT", "-1"),
        ("FOREWORD_SERVER__PORT", "http"),
        ("FOREWORD_SERVER__DRAIN_S", "0"),
        ("FOREWORD_DATABASE__READERS", "0"),
        ("FOREWORD_DATABASE__BUSY_TIMEOUT_S", "nan"),
        ("FOREWORD_DATABASE__BUSY_TIMEOUT_S", "inf"),
        ("FOREWORD_EMBEDDER__KIND", "cohere"),
        ("FOREWORD_EMBEDDER__PRECISION", "int4"),
        ("FOREWORD_RETRIEVAL__FLOOR", "1.5"),
        ("FOREWORD_RETRIEVAL__FLOOR", "nan"),
        ("FOREWORD_QDRANT__COLLECTION", ""),
        ("FOREWORD_LOG__LEVEL", "loud"),
        ("FOREWORD_CACHE__TTL_S", "-1"),
        ("FOREWORD_DATABASE__URL", "postgresql+asyncpg://ann:secret@db:0/memory"),
        ("FOREWORD_DATABASE__URL", "postgresql+asyncpg://[::1]:x/memory"),
        ("FOREWORD_DATABASE__REPLICA_URL", "postgresql+asyncpg://db:70000/memory"),
        ("FOREWORD_QDRANT__URL", "qdrant:6333"),
        ("FOREWORD_QDRANT__URL", "http://:6333"),
        ("FOREWORD_QDRANT__URL", "http://[::1"),
        ("FOREWORD_QDRANT__URL", "http://qdrant:70000"),
        ("FOREWORD_QDRANT__URL", ""),
        ("FOREWORD_EMBEDDER__BASE_URL", "127.0.0.1:11434"),
        ("FOREWORD_LLM__URL", "http://a b"),
        ("FOREWORD_PROXY__UPSTREAM_URL", "https://api.example.com/v1?key=x"),
        ("FOREWORD_DATA_DIR", ""),
        ("FOREWORD_MODEL_CACHE", ""),
        ("FOREWORD_SERVER__HOST", ""),
        ("FOREWORD_SERVER__LOCAL_KEY", ""),
        ("FOREWORD_EMBEDDER__MODEL", ""),
        ("FOREWORD_TOKENIZER__ENCODING", "klingon"),
        ("FOREWORD_LIFETIMES__FACT_DAYS", "36501"),
        ("FOREWORD_PRUNING__AFTER_DAYS", "1e23"),
        ("FOREWORD_KEYS__REMEMBERED_S", "1e23"),
        ("FOREWORD_INDEXER__LEASE_S", "1e23"),
        ("FOREWORD_INDEXER__BATCH", "99999999999999999999"),
        ("FOREWORD_DISTIL__BATCH", "99999999999999999999"),
        ("FOREWORD_RETRIEVAL__PER_SOURCE", "99999999999999999999"),
        ("FOREWORD_EMBEDDER__THREADS", "99999999999999999999"),
        ("FOREWORD_RERANKER__THREADS", "257"),
    ],
)
def test_an_impossible_value_is_refused_in_one_line(
    environment: pytest.MonkeyPatch, name: str, value: str
) -> None:
    environment.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"{name}: ")
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("FOREWORD_SERVERS__PORT", "1", "there is no such setting"),
        ("FOREWORD_SERVER__PROT", "1", "there is no such setting"),
        ("FOREWORD_DATABASE__URL", "mysql://x", "must begin with sqlite+aiosqlite:/// or "),
    ],
)
def test_a_mistake_is_told_in_our_words(
    environment: pytest.MonkeyPatch, name: str, value: str, complaint: str
) -> None:
    environment.setenv(name, value)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert str(caught.value).startswith(f"{name}: {complaint}")


def test_json_that_is_none_is_refused(environment: pytest.MonkeyPatch) -> None:
    environment.setenv("FOREWORD_QDRANT", "{url")
    with pytest.raises(SettingsError, match="settings cannot be read"):
        load_settings()


def test_a_file_sets_and_the_environment_wins_over_it_and_code_over_both(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    text = """
    data_dir = "/file"
    [qdrant]
    url = "http://file"
    collection = "file"
    timeout_s = 7
    """
    environment.setenv(CONFIG_VARIABLE, a_file(tmp_path, text))
    environment.setenv("FOREWORD_QDRANT__URL", "http://environment")
    environment.setenv("FOREWORD_QDRANT__COLLECTION", "environment")

    settings = load_settings(qdrant={"collection": "code"})

    assert settings.data_dir == Path("/file")
    assert settings.qdrant.timeout_s == 7
    assert settings.qdrant.url == "http://environment"
    assert settings.qdrant.collection == "code"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("port = 1", "PORT"),
        ("[server]\nprot = 1", "FOREWORD_SERVER__PROT"),
        ("[server]\nport = 70000", "FOREWORD_SERVER__PORT"),
        ("[server\nport", "settings cannot be read"),
        ("server = 3", "FOREWORD_SERVER"),
    ],
)
def test_a_file_with_a_mistake_is_refused_in_one_line(
    environment: pytest.MonkeyPatch, tmp_path: Path, text: str, complaint: str
) -> None:
    environment.setenv(CONFIG_VARIABLE, a_file(tmp_path, text))
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert complaint in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_refused(
    environment: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    environment.setenv(CONFIG_VARIABLE, str(tmp_path / "none.toml"))
    with pytest.raises(SettingsError, match=r"there is no file .*none\.toml"):
        load_settings()


@pytest.mark.parametrize("of", [lambda s: (s, "data_dir"), lambda s: (s.server, "port")])
def test_settings_do_not_change(of: Callable[[Settings], tuple[object, str]]) -> None:
    settings, name = of(load_settings())
    with pytest.raises(ValidationError):
        setattr(settings, name, 1)


def every_setting(model: type[BaseModel], path: str = "") -> list[tuple[str, str | None]]:
    found: list[tuple[str, str | None]] = []
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            found += every_setting(kind, f"{path}{name}.")
        else:
            found.append((f"{path}{name}", field.description))
    return found


@pytest.mark.parametrize(("name", "description"), every_setting(Settings))
def test_every_setting_is_described_in_a_sentence(name: str, description: str | None) -> None:
    assert description, name
    assert description.endswith("."), name
    if name.endswith("_s"):
        assert "econds" in description, name


def test_every_setting_is_in_the_readme_in_the_same_words() -> None:
    readme = (Path(__file__).parents[2] / "README.md").read_text()
    rows = re.findall(rf"^\| `({PREFIX}\w+)` \| .*? \| (.+) \|$", readme, re.MULTILINE)
    described = [
        (PREFIX + name.upper().replace(".", "__"), description)
        for name, description in every_setting(Settings)
    ]
    assert rows == described
