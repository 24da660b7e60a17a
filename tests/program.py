"""The real program: `pannier …` in a process of its own.

Most run in copies of a process that has loaded it (`copier.py`): loading takes longer than what a
test does with it. `command=COMMAND` starts the program as its user does, which `/metrics` needs:
where processes count together is decided when they load.
"""

import os
import queue
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

import copier
from copier import Copy

PATIENCE = 120.0
WORDS = "-m", "pannier"
COMMAND = (sys.executable, *WORDS)
Process: TypeAlias = "subprocess.Popen[str] | Copy"
# Ports below those that a system gives to connections.
LASTING = (20_000, 32_000)


def environment(data: Path, **settings: str) -> dict[str, str]:
    """Answer an environment with settings of the test's own, and none of the machine's."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("PANNIER_")}
    chosen = {f"PANNIER_{name.upper()}": value for name, value in settings.items()}
    return {**clean, "PANNIER_DATA": str(data), "PYTHONUNBUFFERED": "1", **chosen}


def run(data: Path, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as wrong:
        told = [file.fileno() for file in (out, wrong)]
        running = copier.start(
            [*WORDS, *words], env=environment(data, **settings), stdout=told[0], stderr=told[1]
        )
        with ending(running):
            code = running.wait(PATIENCE)
        for file in (out, wrong):
            file.seek(0)
        return subprocess.CompletedProcess(words, code, out.read(), wrong.read())


def answer(data: Path, *words: str, **settings: str) -> object:
    """Run a command that prints JSON, and read it."""
    done = run(data, *words, **settings)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)


def free_port() -> int:
    """Find a port that is free now, and that no connection of anybody takes before it is used."""
    while True:
        port = random.randrange(*LASTING)
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class Serving:
    """A running `pannier serve`."""

    def __init__(
        self,
        data: Path,
        *words: str,
        log: int = subprocess.DEVNULL,
        command: Sequence[str] | None = None,
        folder: Path | None = None,
        **settings: str,
    ) -> None:
        self.data, self.port = data, free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        serve = "serve", "--port", str(self.port), *words
        options: dict[str, Any] = {
            "env": environment(data, **settings),
            "stdout": subprocess.PIPE,
            "stderr": log,
            "cwd": folder or Path(),
            "start_new_session": True,
        }
        self.process: Process = (
            copier.start([*WORDS, *serve], **options)
            if command is None
            else subprocess.Popen([*command, *serve], text=True, **options)
        )
        self.lines: list[str] = []
        self._news: queue.Queue[str | None] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append(line.rstrip())
            self._news.put(line.rstrip())
        self._news.put(None)

    def await_line(self, words: str) -> str:
        """Wait until the program says something."""
        deadline = time.monotonic() + PATIENCE
        while True:
            line = self._news.get(timeout=max(0.1, deadline - time.monotonic()))
            assert line is not None, f"it ended without saying {words!r}: {self.lines}"
            if words in line:
                return line

    def ready(self) -> "Serving":
        """Wait until it answers."""
        self.await_line("Press Ctrl-C to stop.")
        return self

    def said(self, label: str) -> str:
        """Answer what the greeting said behind a label."""
        return next(line for line in self.lines if line.strip().startswith(label)).split()[-1]

    def tree(self) -> list[int]:
        """List the program's process and all that came of it."""
        parents = dict(_parents())
        found = [self.process.pid]
        for pid in found:
            found += [child for child, parent in parents.items() if parent == pid]
        return found

    def kill(self) -> None:
        """Kill everything at once, as a power cut would."""
        for pid in self.tree() if self.process.poll() is None else ():
            _signal(pid, signal.SIGKILL)
        self.process.wait(PATIENCE)
        self._close()

    def interrupt(self) -> int:
        """Press Ctrl-C, and answer the exit code."""
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self._close()
        return code

    def _close(self) -> None:
        assert self.process.stdout is not None
        while not self.process.stdout.closed and self._news.get(timeout=PATIENCE) is not None:
            pass
        self.process.stdout.close()


def _signal(pid: int, number: int) -> None:
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return


def _parents() -> Iterator[tuple[int, int]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            yield int(folder.name), int(fields[1])


def command_of(pid: int) -> str:
    """Answer how a process was started."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")
    except OSError:
        return ""


@contextmanager
def ending(process: Process) -> Iterator[Process]:
    """End a process with the test: waiting for one that goes on would hide why a test failed."""
    with process:
        try:
            yield process
        finally:
            process.kill()


@contextmanager
def serving(
    data: Path,
    *words: str,
    log: int = subprocess.DEVNULL,
    command: Sequence[str] | None = None,
    **settings: str,
) -> Iterator[Serving]:
    """Serve for the length of a test, and leave nothing behind; `log` is where log lines go."""
    program = Serving(data, *words, log=log, command=command, **settings)
    try:
        yield program
    finally:
        program.kill()
