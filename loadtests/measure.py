"""
Fill a store with an evaluation set and measure the server over it, on this machine.

    python -m loadtests.measure --set locomo.json.gz --messages 100000 --owned 10000

Starts its own server on loopback over a data directory of its own, and ends it. The set is
repeated under other users and names until there are enough messages. Prints a markdown table.
Linux only: memory and processor time come from /proc.
"""

import argparse
import json
import os
import platform
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from loadtests import figures
from loadtests.fill import questions
from loadtests.server import Server
from loadtests.sets import Corpus, read_corpus

# What the store was filled with, beside it, so that a kept one is not filled again.
MARK = "filled.json"


def main() -> None:
    options = _options()
    # Whoever ends this ends the server with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    corpus = read_corpus(options.set)
    base = options.data_dir or Path(tempfile.mkdtemp(prefix="foreword-measure-"))
    (base / "store").mkdir(parents=True, exist_ok=True)
    server = Server(options.foreword, base / "store", options.port)
    found: list[figures.Figure] = []
    print(_machine(corpus), flush=True)
    print("\n| figure | value | | how |\n| --- | ---: | --- | --- |", flush=True)
    try:
        for figure in _measure(options, _bench(options, corpus, server), base / MARK):
            found.append(figure)
            print(_row(figure), flush=True)
    finally:
        server.stop()
        if options.json:
            options.json.write_text(json.dumps([asdict(figure) for figure in found], indent=1))
        if not options.keep and not options.data_dir:
            shutil.rmtree(base)
    print(f"\nLoad average after: {_load()}." + (f" Kept: {base}" if options.keep else ""))


def _measure(
    options: argparse.Namespace, bench: figures.Bench, mark: Path
) -> Iterator[figures.Figure]:
    filled = {"messages": bench.messages, "owned": bench.owned, "corpus": bench.corpus.size}
    if mark.exists() and json.loads(mark.read_text()) == filled:
        bench.server.start()
    elif any(bench.server.data_dir.iterdir()):
        raise SystemExit(f"{bench.server.data_dir} holds something else.")
    else:
        yield from figures.start(bench)
        yield from figures.stored(bench)
        yield from figures.distilled(bench)
        mark.write_text(json.dumps(filled))
    for name, group in figures.GROUPS.items():
        if not options.only or name in options.only:
            if name in figures.SPOILING:
                mark.unlink()
            yield from group(bench)


def _bench(options: argparse.Namespace, corpus: Corpus, server: Server) -> figures.Bench:
    return figures.Bench(
        server=server,
        corpus=corpus,
        messages=options.messages,
        owned=options.owned,
        seconds=options.seconds,
        callers=options.callers,
        asked=questions(corpus, owned=options.owned),
    )


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--set", type=Path, action="append", required=True, help="evaluation set; may be repeated")
    add("--messages", type=int, default=100_000, help="stored in all (100,000)")
    add("--owned", type=int, default=10_000, help="of them, of the user who is asked (10,000)")
    add("--seconds", type=float, default=20, help="of sustained load (20, at most 600)")
    add("--callers", type=int, default=8, help="at once, under sustained load (8)")
    add("--only", nargs="+", choices=figures.GROUPS, help="these groups; the store is filled first")
    add("--json", type=Path, help="write the figures here too")
    add("--foreword", type=Path, default=Path(".venv/bin/foreword"), help="the server's command")
    add("--port", type=int, default=0, help="of the server (any free one)")
    add("--data-dir", type=Path, help="kept, and not filled again when it is full (temporary)")
    add("--keep", action="store_true", help="keep the temporary data directory")
    options = parser.parse_args()
    if not 0 < options.owned < options.messages or not 0 < options.seconds <= 600:
        parser.error("0 < --owned < --messages, and 0 < --seconds <= 600")
    return options


def _row(figure: figures.Figure) -> str:
    value = f"{figure.value:,.0f}" if figure.value >= 100 else f"{figure.value:.2f}"
    return f"| {figure.name} | {value} | {figure.unit} | {figure.how} |"


def _machine(corpus: Corpus) -> str:
    return (
        f"{os.cpu_count()} processors ({platform.machine()}), Python {platform.python_version()},"
        f" load average before: {_load()}. Corpus: {corpus.size:,} messages,"
        f" {len(corpus.questions):,} questions."
    )


def _load() -> str:
    return ", ".join(f"{load:.2f}" for load in os.getloadavg())


if __name__ == "__main__":
    main()
