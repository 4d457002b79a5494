"""The commands that ask the service: one that runs, and one that runs as long as they do."""

import json
import shlex
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tests.api.serving import run, serving
from tests.exports import (
    ASKED,
    HUGIN,
    chatgpt_conversation,
    lines_of,
    sharegpt_conversation,
    spelled,
)

NOTHING = {"conversations": 0, "messages": 0, "duplicates": 0, "rejected": []}


def told(ended: subprocess.CompletedProcess[str], code: int = 0) -> Any:
    """What a command says in JSON."""
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False), ended.stderr
    return json.loads(ended.stdout)


def test_a_store_that_nobody_serves_is_filled_asked_and_emptied(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(spelled([chatgpt_conversation(), {"no": "conversation"}]))
    command = ("import", str(file), "--user-id", "alice", "--json")

    first = told(run(tmp_path, *command))
    again = told(run(tmp_path, *command))

    rejected = [{"at": "[1]", "reason": "is no conversation of a kind that is known"}]
    assert first == {**NOTHING, "conversations": 1, "messages": 3, "rejected": rejected}
    assert again == {**NOTHING, "duplicates": 3, "rejected": rejected}
    asked = run(tmp_path, "ask", ASKED, "--user-id", "alice", "--explain")
    assert f"\n> {HUGIN}\n" in asked.stdout, asked.stderr
    assert "tokens" in asked.stdout
    (listed,) = told(run(tmp_path, "conversations", "--user-id", "alice", "--json"))["items"]
    assert listed["id"] in run(tmp_path, "conversations", "--user-id", "alice").stdout
    said = run(tmp_path, "history", listed["id"]).stdout
    assert said.index(ASKED) < said.index(HUGIN)
    assert run(tmp_path, "forget", "user", "alice").returncode == 2
    receipt = told(run(tmp_path, "forget", "conversation", listed["id"], "--yes", "--json"))
    assert (receipt["erased"]["messages"], receipt["remaining"]) == (3, 0)
    assert told(run(tmp_path, "conversations", "--user-id", "alice", "--json"))["items"] == []


def test_of_whom_there_is_nothing_nothing_is_forgotten(tmp_path: Path) -> None:
    (tmp_path / "list.json").write_bytes(spelled([sharegpt_conversation()]))
    run(tmp_path, "import", "list.json", "--user-id", "bob")
    ended = run(tmp_path, "forget", "user", "nobody", "--yes")
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[0] == "Of user nobody there was nothing"
    assert run(tmp_path, "forget", "user", "bob", "--yes").stdout.split()[0] == "erased"


def test_a_conversation_is_meant_by_its_name_too(tmp_path: Path) -> None:
    named = "0198e3a4-0000-7000-8000-000000000000"  # as other services name theirs
    file = tmp_path / "named.json"
    names = (named, "trip-1", "trip-10", "trip-2", "garden")
    file.write_bytes(spelled([chatgpt_conversation(each) for each in names]))
    of_alice = ("--user-id", "alice")

    def history(name: str, code: int = 0, *whose: str) -> Any:
        ended = run(tmp_path, "history", name, "--json", *whose)
        assert ended.returncode == code, ended.stderr
        return json.loads(ended.stdout)["items"][0]["content"] if code == 0 else ended.stderr

    run(tmp_path, "import", str(file), *of_alice)

    for name in (named, "trip-1", "garden", "gard", "trip-2"):
        assert history(name, 0, *of_alice) == ASKED
    several = history("trip-", 2, *of_alice)
    assert all(each in several for each in ("trip-1", "trip-10", "trip-2"))
    assert "--user-id" in history("garden", 2)
    assert "no conversation" in history("", 2, *of_alice)
    shown = run(tmp_path, "conversations", *of_alice).stdout
    assert "garden" in shown
    assert run(tmp_path, "forget", "conversation", "gard", *of_alice, "--yes").returncode == 2
    forgotten = run(tmp_path, "forget", "conversation", "garden", *of_alice, "--yes", "--json")
    assert told(forgotten)["erased"]["messages"] == 3
    assert "no conversation" in history("garden", 2, *of_alice)
    asked = run(tmp_path, "ask", ASKED, *of_alice, "--conversation", "trip-2", "--json")
    assert told(asked)["recent_history"]


def test_what_was_said_is_shown_and_never_obeyed_by_a_terminal(tmp_path: Path) -> None:
    said = {
        "role": "user",
        "name": "N\x1b[2J",
        "content": "tea \x1b]52;c;aGk=\x07 \x9b31m\r\n# tea",
    }
    chat = {
        "external_id": "c\x1bc",
        "label": "L\x1b]0;x\x07",
        "folder": "/\x1b",
        "messages": [said],
    }
    (tmp_path / "chat.json").write_text(json.dumps(chat))
    run(tmp_path, "import", str(tmp_path / "chat.json"))
    (listed,) = told(run(tmp_path, "conversations", "--json"))["items"]
    shown = [
        run(tmp_path, *command).stdout
        for command in (("conversations",), ("history", listed["id"]), ("ask", "tea", "--explain"))
    ]
    assert all("\x1b" not in each and "\x9b" not in each for each in shown)
    assert "␛]52;c;a" in shown[1]
    exact = told(run(tmp_path, "history", listed["id"], "--json"))["items"]
    assert exact[0]["content"] == said["content"]


def test_a_file_of_which_nothing_can_be_imported_ends_with_1(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "broken").write_bytes(b'[{"mapping": 1}, {"x"')
    empty = told(run(tmp_path, "import", str(tmp_path / "empty"), "--json"), code=1)
    broken = told(run(tmp_path, "import", str(tmp_path / "broken"), "--json"), code=1)
    assert empty == {**NOTHING, "rejected": [{"at": "empty", "reason": "it is empty"}]}
    assert [each["at"] for each in broken["rejected"]] == ["[0]", "[1]"]
    assert run(tmp_path, "import", str(tmp_path / "missing"), "--json").returncode == 2


def test_an_export_may_be_piped_into_an_import(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(spelled([chatgpt_conversation()]))
    run(tmp_path, "import", str(file), "--user-id", "alice")
    exported = run(tmp_path, "export", "--user-id", "alice").stdout
    imported = run(tmp_path, "import", "-", "--user-id", "bob", "--json", given=exported)
    assert told(imported).items() >= {"conversations": 1, "messages": 3, "rejected": []}.items()
    nothing = run(tmp_path, "import", "-", "--json", given="")
    assert told(nothing, code=1)["rejected"] == [{"at": "-", "reason": "it is empty"}]


def test_what_is_no_terminal_gets_whole_lines(tmp_path: Path) -> None:
    file = tmp_path / "talk.csv"
    file.write_text("thread,content,time\n" + f"{'t' * 99},hello,2024-05-25\nu,no,01/05/2024\n")
    of_alice = ("--user-id", "alice")

    first = run(tmp_path, "import", str(file), *of_alice).stdout.splitlines()
    listed = run(tmp_path, "conversations", *of_alice).stdout.splitlines()

    both = "line 3: created_at could be two days: '01/05/2024', by day or by month first"
    assert first == ["New: 1 conversation, 1 message; 0 there already, 1 rejected", both]
    assert [each.split()[1:] for each in listed[1:]] == [["2024-05-25", "1", "t" * 99]]


def test_consent_alone_is_something_that_was_imported(tmp_path: Path) -> None:
    consent = {"profile": {"granted_at": "2024-05-01T10:00:00Z"}}
    file = tmp_path / "consent.ndjson"
    file.write_bytes(lines_of({"record": "user", "user_id": "alice", "consent": consent}) + b"{x")
    for _ in range(2):
        found = told(run(tmp_path, "import", str(file), "--json"))
        assert (found["users"], [each["at"] for each in found["rejected"]]) == (1, ["line 2"])


def test_a_server_that_runs_is_asked(tmp_path: Path) -> None:
    file, out = tmp_path / "list.json", tmp_path / "out.ndjson"
    file.write_bytes(spelled([sharegpt_conversation()]))
    with serving(tmp_path) as server, server.memory() as memory:
        found = told(run(tmp_path, "import", str(file), "--user-id", "bob", "--json"))
        assert found["messages"] == 2
        listed = memory.conversations(user_id="bob")["items"]
        assert [each["message_count"] for each in listed] == [2]

        elsewhere = tmp_path / "elsewhere"
        elsewhere.mkdir()
        by_url = run(elsewhere, "conversations", "--user-id", "bob", "--json", "--url", server.url)
        assert len(told(by_url)["items"]) == 1

        assert told(run(tmp_path, "export", str(out), "--json"))["lines"] == 2
        printed = run(tmp_path, "export", "--user-id", "bob")
        assert printed.stdout == out.read_text()

        flags = told(run(tmp_path, "flags", "hybrid=false", "token_budget=900", "--json"))
        assert (flags["hybrid"], flags["token_budget"]) == (False, 900)
        flags = told(run(tmp_path, "flags", "hybrid=True", "token_budget=NULL", "--json"))
        assert (flags["hybrid"], flags["token_budget"]) == (True, 4_000)
        assert run(tmp_path, "flags", "hybrid=maybe").returncode == 2
        refused = run(tmp_path, "flags", "nothing=true")
        assert (refused.returncode, len(refused.stderr.splitlines())) == (2, 1)

        key = told(run(tmp_path, "keys", "create", "--tenant", "t", "--name", "n", "--json"))["key"]
        own = run(tmp_path, "conversations", "--url", server.url, "--key", key, "--json")
        assert told(own)["items"] == []
        assert run(tmp_path, "conversations", "--url", server.url, "--key", "x").returncode == 2
    unreachable = run(tmp_path, "conversations", "--url", "http://127.0.0.1:9")
    assert (unreachable.returncode, "no answer" in unreachable.stderr) == (2, True)


def test_the_demo_stores_a_sample_that_answers(tmp_path: Path) -> None:
    facts = told(run(tmp_path, "demo", "--json"))
    assert (facts["messages"], len(facts["requests"])) == (9, 3)
    again = run(tmp_path, "demo")
    assert "0 new messages of the user" in again.stdout
    bundle = told(run(tmp_path, *shlex.split(facts["requests"][0])[1:], "--json"))
    assert any("PostgreSQL" in each["content"] for each in bundle["retrieved_memories"])


def test_several_commands_at_once_ask_the_one_that_serves_meanwhile(tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(spelled(chatgpt_conversation()))
    told(run(tmp_path, "import", str(file), "--user-id", "alice", "--json"))
    asked = ("ask", ASKED, "--user-id", "alice", "--json")
    with ThreadPoolExecutor() as pool:
        running = [pool.submit(run, tmp_path, *asked) for _ in range(4)]
        answers = [told(each.result()) for each in running]
    assert all(HUGIN in each["text"] for each in answers)
    assert not (tmp_path / "data" / "server.json").exists()
