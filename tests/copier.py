"""Have Python programs run in copies of one process: loading takes longer than most of them do.

`python -I -S copier.py SOCKET WORD…` runs `python WORD…` from a shell that way. So this imports
nothing but the standard library.
"""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import IO, Final, Self

STANDARD: Final = 0, 1, 2
BENCHES: Final = Path(__file__).parents[1] / "bench"
STARTING: Final = threading.Lock()
# Nobody is as long as this; see `copies.rename`.
ROOM: Final = "x" * 4096


class Copy:
    """A program that runs in a copy, with the methods of a Popen that tests need.

    It ends with this process, and when this object is closed.
    """

    def __init__(
        self,
        words: Sequence[str],
        *,
        env: Mapping[str, str],
        path: str | None = None,
        files: Sequence[int] = STANDARD,
        pass_fds: Collection[int] = (),
        cwd: Path | str = ".",
        start_new_session: bool = False,
    ) -> None:
        self.returncode: int | None = None
        self.stdin: IO[str] | None = None
        self.stdout: IO[str] | None = None
        self.stderr: IO[str] | None = None
        self._said = b""
        self._there = socket.socket(socket.AF_UNIX)
        self._there.connect(path or find_loaded())
        numbers = [*STANDARD, *pass_fds]
        asked = [words, dict(env), str(Path(cwd).absolute()), numbers, start_new_session]
        socket.send_fds(self._there, [b"."], [*files, *pass_fds])
        self._there.sendall(json.dumps(asked).encode() + b"\n")
        self.pid = self._read(None)

    def _read(self, timeout: float | None) -> int:
        """Read a number from the process that copies itself."""
        while b"\n" not in self._said:
            if not select.select([self._there], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired("a copy", timeout or 0)
            if not (more := self._there.recv(64)):
                return -signal.SIGKILL  # It is gone, and everybody with it.
            self._said += more
        number, _, self._said = self._said.partition(b"\n")
        return int(number)

    def poll(self) -> int | None:
        """Return the exit code, if it has ended."""
        try:
            return self.wait(0)
        except subprocess.TimeoutExpired:
            return None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended, and return the exit code."""
        if self.returncode is None:
            self.returncode = self._read(timeout)
            self._there.close()
        return self.returncode

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to end."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Let go of it; if it still runs, it is killed."""
        for stream in (self.stdin, self.stdout, self.stderr):
            if stream is not None:
                stream.close()
        self._there.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wait()
        self.close()


def start(
    words: Sequence[str],
    *,
    env: Mapping[str, str],
    stdin: int | None = None,
    stdout: int | None = None,
    stderr: int | None = None,
    pass_fds: Collection[int] = (),
    cwd: Path | str = ".",
    start_new_session: bool = False,
) -> Copy:
    """Run `python WORD…` in a copy; the options mean what they mean to a Popen with `text=True`."""
    ours: list[int] = []

    def resolve(asked: int | None, usual: int, mine: int) -> int:
        if asked == subprocess.PIPE:
            pair = os.pipe()
            ours.extend(pair)
            return pair[mine]
        if asked == subprocess.DEVNULL:
            ours.append(os.open(os.devnull, os.O_RDWR))
            return ours[-1]
        return usual if asked is None else asked

    files = [resolve(stdin, 0, 0), resolve(stdout, 1, 1)]
    files.append(files[1] if stderr == subprocess.STDOUT else resolve(stderr, 2, 1))
    copy = Copy(
        words,
        env=env,
        files=files,
        pass_fds=pass_fds,
        cwd=cwd,
        start_new_session=start_new_session,
    )
    if stdin == subprocess.PIPE:
        copy.stdin = os.fdopen(os.dup(ours[ours.index(files[0]) + 1]), "w")
    if stdout == subprocess.PIPE:
        copy.stdout = os.fdopen(os.dup(ours[ours.index(files[1]) - 1]))
    if stderr == subprocess.PIPE:
        copy.stderr = os.fdopen(os.dup(ours[ours.index(files[2]) - 1]))
    for file in ours:
        os.close(file)
    return copy


def find_loaded() -> str:
    """Return the socket of a process that has loaded what programs need; the first call starts it.

    It ends with this process.
    """
    with STARTING:
        return _load()


@cache
def _load() -> str:
    folder = tempfile.TemporaryDirectory(prefix="copies-")
    atexit.register(folder.cleanup)
    path = f"{folder.name}/socket"
    command = [sys.executable, str(Path(__file__).with_name("copies.py")), path, ROOM]
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PANNIER_")}
    process = subprocess.Popen(
        command,
        env={**kept, "BENCH_TINY": "1", "PYTHONPATH": str(BENCHES)},
        stdin=subprocess.PIPE,  # whose end is ours
        stdout=subprocess.PIPE,
        text=True,
    )

    def end() -> None:
        with process:
            process.kill()

    atexit.register(end)
    assert process.stdout is not None
    assert process.stdout.readline() == "loaded\n"
    return path


def main(path: str, *words: str) -> int:
    """Run a program with our own files, and return its exit code."""
    code = Copy(words, env=os.environ, path=path).wait()
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
