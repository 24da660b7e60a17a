"""Run Python programs in copies of this process, which has loaded what they need.

`python copies.py SOCKET ROOM` loads the program and says so. Then each connection asks for a
program with a line (see `copier.py`), and is answered with the copy's process id, and with its exit
code once it has ended. A connection that ends before has its copy killed.
"""

import ctypes
import fcntl
import gc
import importlib
import os
import runpy
import selectors
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import msgspec

from pannier import child_process, cli, supervisor
from pannier.webhooks import pool
from program import PATIENCE

COMMANDS = Path(cli.__file__).parent.glob("[a-z]*.py")
LOADED = (
    *(f"pannier.cli.{module.stem}" for module in sorted(COMMANDS)),
    "pannier.provisioning",
    "stand",  # of bench/
    "aiohttp.web",
    "standardwebhooks",
    "trustme",
)
LARGEST = 1 << 20
MANY = 512  # files, more than a copy of this process has
MOST_SENT = 64
# Where the words of this process's command line stand in its memory: fields of /proc/self/stat.
FIRST_WORD, LAST_WORD = 48, 49


class Asked(msgspec.Struct, array_like=True):
    """What to run, and with which environment, folder and numbers of files."""

    words: list[str]
    environment: dict[str, str]
    folder: str
    numbers: list[int]
    leads: bool  # a session of its own


class Child:
    """One of our programs in a copy of this process, with the methods of a Popen it needs."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        pass_fds: Collection[int] = (),
        stderr: int | None = None,
        process_group: int | None = None,
    ) -> None:
        self.returncode: int | None = None
        ending, words = untie(command)
        parent = os.getpid()
        self.pid = fork()
        if self.pid == 0:
            if process_group is not None:
                os.setpgid(0, process_group)
            if stderr == subprocess.DEVNULL:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            close_all_but(pass_fds)
            begin(ending, parent)
            run(words, env)

    def poll(self) -> int | None:
        """Return the exit code, if it has ended."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, timeout: float = PATIENCE) -> int:
        """Wait until it has ended."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a copy", timeout)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)


def untie(command: Sequence[str]) -> tuple[int, Sequence[str]]:
    """Return the signal that a command ends by with us, and the words after `python`."""
    tied = child_process.build_command([], parent_death_signal=signal.SIGKILL)
    if list(command[:4]) == tied[:4]:
        return int(command[4]), command[len(tied) + 1 :]
    return signal.SIGKILL, command[1:]


def fork() -> int:
    """Fork; no signal reaches the copy before it handles them as a new program does."""
    sys.stdout.flush()
    every = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    pid = os.fork()
    if pid:
        signal.pthread_sigmask(signal.SIG_SETMASK, every)
    return pid


def begin(ending: int, parent: int) -> None:
    """Handle signals as a new program does, and end with the parent."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    child_process._tie_to_parent(ending, parent)  # noqa: SLF001 - what every child of the program does
    signal.pthread_sigmask(signal.SIG_SETMASK, [])


def close_all_but(kept: Collection[int]) -> None:
    """Close the files that a new program would not have."""
    for number in range(3, MANY):
        if number not in kept:
            with suppress(OSError):
                os.close(number)


def place(files: Sequence[int], numbers: Sequence[int]) -> None:
    """Give files their numbers, and close all others."""
    safe = [fcntl.fcntl(file, fcntl.F_DUPFD, MANY) for file in files]
    close_all_but([])
    for file, number in zip(safe, numbers, strict=True):
        os.dup2(file, number)
        os.close(file)


def rename(words: Sequence[str]) -> None:
    """Show the words of a copy as its command line: tests find processes by it."""
    fields = Path("/proc/self/stat").read_text().rpartition(")")[2].split()
    first, last = (int(fields[number - 3]) for number in (FIRST_WORD, LAST_WORD))
    text = "\0".join([sys.executable, *words]).encode()
    ctypes.memmove(first, text[: last - first - 1].ljust(last - first, b"\0"), last - first)


def run(words: Sequence[str], environment: Mapping[str, str]) -> None:
    """Run `-m pannier …` or `SCRIPT …` to its end, and end as Python does."""
    code = 1
    try:
        rename(words)
        os.environ.clear()
        os.environ.update(environment)
        code = call(words)
        # Only the threads are waited for: exit functions may be those of the process we copy.
        threading._shutdown()  # type: ignore[attr-defined]  # noqa: SLF001 - as Python does
    except BaseException:  # noqa: BLE001 - it ends here, whatever it is
        traceback.print_exc()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
        os._exit(code & 0xFF)


def call(words: Sequence[str]) -> int:
    """Run a program, and return its exit code."""
    try:
        if words[0] == "-m":
            return cli.run(words[2:])
        sys.argv = [*words]
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as left:
        if isinstance(left.code, str):
            sys.stderr.write(f"{left.code}\n")
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    return 0


class Running:
    """A copy that runs, and whoever waits for it."""

    def __init__(self, selector: selectors.BaseSelector, there: socket.socket, pid: int) -> None:
        self._selector, self._there, self._pid = selector, there, pid
        self._watched, self._ended = os.pidfd_open(pid), False
        with suppress(OSError):  # Whoever has left is found out about below.
            there.sendall(b"%d\n" % pid)
        selector.register(self._watched, selectors.EVENT_READ, self.end)
        selector.register(there, selectors.EVENT_READ, self.kill)

    def end(self) -> None:
        """Tell the exit code, once; the copy and its connection may end in the same moment."""
        if self._ended:
            return
        self._ended = True
        for file in (self._watched, self._there):
            self._selector.unregister(file)
        _, status = os.waitpid(self._pid, 0)
        with suppress(OSError), self._there:
            self._there.sendall(b"%d\n" % os.waitstatus_to_exitcode(status))
        os.close(self._watched)

    def kill(self) -> None:
        """Kill a copy that nobody waits for any more."""
        if not self._ended:
            os.kill(self._pid, signal.SIGKILL)
            self.end()


class Copier:
    """Takes connections, runs a copy for each, and tells how it ended."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._selector = selectors.DefaultSelector()
        self._selector.register(listener, selectors.EVENT_READ, self._accept)
        # Nobody ever writes there: it ends with the process that started us.
        self._selector.register(sys.stdin, selectors.EVENT_READ, lambda: os._exit(0))

    def serve(self) -> None:
        """Serve until nobody is left who could ask."""
        while True:
            for key, _ in self._selector.select():
                key.data()

    def _accept(self) -> None:
        there, _ = self._listener.accept()
        _, files, *_ = socket.recv_fds(there, 1, MOST_SENT)
        said = b""
        while not said.endswith(b"\n"):
            if not (more := there.recv(LARGEST)):
                break
            said += more
        if said.endswith(b"\n"):
            self._start(there, files, msgspec.json.decode(said, type=Asked))
        for file in files:
            os.close(file)

    def _start(self, there: socket.socket, files: Sequence[int], asked: Asked) -> None:
        parent, pid = os.getpid(), fork()
        if pid == 0:
            if asked.leads:
                os.setsid()
            place(files, asked.numbers)
            os.chdir(asked.folder)
            begin(signal.SIGKILL, parent)
            run(asked.words, asked.environment)
        Running(self._selector, there, pid)


def main(path: str) -> None:
    """Load the program, and run whatever is asked for in copies."""
    # A receiver that a busy machine kept waiting would be tried again only after five minutes.
    setattr(pool, "CONNECT_TIMEOUT_SECONDS", PATIENCE)  # noqa: B010 - it is final for everybody else
    gc.disable()
    for module in LOADED:
        importlib.import_module(module)
    gc.freeze()
    gc.enable()
    # What our own programs start by themselves are copies too.
    setattr(sys.modules["stand"], "popen", Child)  # noqa: B010 - no attribute of every module
    setattr(supervisor, "subprocess", SimpleNamespace(Popen=Child))  # noqa: B010 - as above
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        sys.stdout.write("loaded\n")
        sys.stdout.flush()
        Copier(listener).serve()


if __name__ == "__main__":
    main(sys.argv[1])
