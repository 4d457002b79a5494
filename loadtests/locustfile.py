"""
Load for a running server, in three kinds of user: ChatTurn, ReadHeavy, ImportBurst.

    locust -f loadtests/locustfile.py --headless -u 8 -r 8 -t 30s \
        --host http://127.0.0.1:8000 ChatTurn

Without the options: 8 users in all (`-u`), 8 more per second (`-r`), 30 seconds (`-t`), this
machine (`--host`). Without a name: all three kinds, in equal numbers. Where the server wants a
key, FOREWORD_KEY holds it. Texts are made here and the same in every run.

Figures of one store at a known size, with one caller and with many: `python -m loadtests.measure`.
"""

from typing import Any

from locust import events

from loadtests.scenarios.chat_turn import ChatTurn
from loadtests.scenarios.import_burst import ImportBurst
from loadtests.scenarios.read_heavy import ReadHeavy

__all__ = ["ChatTurn", "ImportBurst", "ReadHeavy"]

USERS = 8
SPAWN_RATE = 8  # users per second
RUN_TIME = "30s"


def bound(parser: Any) -> None:
    """No run without an end: what the command line does not say is small and short."""
    parser.set_defaults(num_users=USERS, spawn_rate=SPAWN_RATE, run_time=RUN_TIME)


events.init_command_line_parser.add_listener(bound)  # type: ignore[no-untyped-call]
