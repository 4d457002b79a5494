"""The measured server: started and stopped here, read from outside."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import httpx

READY_TIMEOUT_S = 300.0
STOP_TIMEOUT_S = 60.0
HOST = "127.0.0.1"


class Server:
    """One `foreword serve` on this machine, over one data directory."""

    def __init__(self, command: Path, data_dir: Path, port: int = 0) -> None:
        self.data_dir = data_dir
        self.url = f"http://{HOST}:{port or _free_port()}"
        self._command = command
        self._log = data_dir.parent / "server.log"
        self._started: subprocess.Popen[bytes] | None = None

    def start(self) -> float:
        """Start it; return the seconds until it said that it is ready."""
        port = self.url.rpartition(":")[2]
        arguments = ["serve", "--host", HOST, "--port", port, "--data-dir", str(self.data_dir)]
        with self._log.open("ab") as log:
            began = time.perf_counter()
            self._started = subprocess.Popen(  # noqa: S603  (the command under test)
                [self._command, *arguments], stdout=log, stderr=subprocess.STDOUT
            )
        self._wait_until_ready(began)
        return time.perf_counter() - began

    def stop(self) -> None:
        """End it as an operator would, and harder where that does not help."""
        if self._started is None:
            return
        self._started.send_signal(signal.SIGTERM)
        try:
            self._started.wait(STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            print(f"not stopped after {STOP_TIMEOUT_S:.0f} s: killed")
            self._started.kill()
            self._started.wait()
        self._started = None

    def restart(self) -> float:
        self.stop()
        return self.start()

    def waiting(self, part: str) -> int:
        """What a part of the service has still to do, as it says itself."""
        answer = httpx.get(f"{self.url}/readyz", timeout=30, trust_env=False)
        return int(answer.json()["parts"][part]["lag"])

    def rss_mb(self) -> float:
        """Resident memory of the process and its children, in millions of bytes."""
        return sum(_rss_kib(pid) for pid in _family(self._pid)) * 1024 / 1e6

    def cpu_s(self) -> float:
        """Processor seconds of the process and its children since it began, ended ones too."""
        return sum(_cpu_s(pid) for pid in _family(self._pid))

    def log_tail(self, characters: int = 2_000) -> str:
        return self._log.read_text("utf-8", errors="replace")[-characters:]

    @property
    def _pid(self) -> int:
        if self._started is None or self._started.poll() is not None:
            raise RuntimeError(f"The server is not running. It said:\n{self.log_tail()}")
        return self._started.pid

    def _wait_until_ready(self, began: float) -> None:
        with httpx.Client(base_url=self.url, timeout=5, trust_env=False) as client:
            while time.perf_counter() - began < READY_TIMEOUT_S:
                if self._pid and _is_ready(client):
                    return
                time.sleep(0.02)
        raise TimeoutError(f"Not ready after {READY_TIMEOUT_S:.0f} s:\n{self.log_tail()}")


def _is_ready(client: httpx.Client) -> bool:
    try:
        return client.get("/readyz").status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def _family(pid: int) -> list[int]:
    """The process and all below it."""
    try:
        below = [
            int(child)
            for children in Path(f"/proc/{pid}/task").glob("*/children")
            for child in children.read_text().split()
        ]
    except OSError:
        return []
    return [pid, *(grandchild for child in below for grandchild in _family(child))]


def _rss_kib(pid: int) -> int:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    lines = dict(line.split(":", 1) for line in status.splitlines())
    return int(lines.get("VmRSS", "0 kB").split()[0])


def _cpu_s(pid: int) -> float:
    try:
        after_name = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # user, system, and the same two of children that have ended: fields 14 to 17 of proc(5).
    return sum(map(int, after_name[11:15])) / os.sysconf("SC_CLK_TCK")
