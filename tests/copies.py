"""Run Python programs in copies of this process, which has loaded what they need.

`python copies.py SOCKET MODULE…` loads the modules and says so. Then each connection sends what
follows `python` on a command line, an environment, a folder and three files, and is answered with
the exit code; see `copier.py`.
"""

import importlib
import os
import runpy
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress

import msgspec

from pannier import cli
from pannier.webhooks import pool
from program import PATIENCE

STANDARD = 0, 1, 2
LARGEST = 1 << 20


class Copy:
    """A Python program in a copy of this process, with the methods of a Popen that are needed."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        env: Mapping[str, str],
        pass_fds: Collection[int],  # noqa: ARG002 - a copy has all of them
        stderr: int | None = None,
    ) -> None:
        self.returncode: int | None = None
        sys.stdout.flush()
        self.pid = os.fork()
        if self.pid == 0:
            if stderr == subprocess.DEVNULL:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
            os._exit(run(command[1:], env))

    def poll(self) -> int | None:
        """Return the exit code, if it has ended."""
        if self.returncode is None:
            ended, status = os.waitpid(self.pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode

    def wait(self, timeout: float) -> int:
        """Wait until it has ended."""
        deadline = time.monotonic() + timeout
        while (code := self.poll()) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired("a copy", timeout)
            time.sleep(0.005)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)


def run(words: Sequence[str], environment: Mapping[str, str]) -> int:
    """Run `-m pannier …` or `SCRIPT …` to its end, and return the exit code."""
    os.environ.clear()
    os.environ.update(environment)
    try:
        if words[0] == "-m":
            return cli.run(words[2:])
        sys.argv = [*words]
        runpy.run_path(words[0], run_name="__main__")
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else int(left.code is not None)
    except BaseException:  # noqa: BLE001 - it ends here, whatever it is
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
    return 0


def answer(there: socket.socket) -> None:
    """Run what a connection asks for."""
    said, files, *_ = socket.recv_fds(there, LARGEST, len(STANDARD))
    while more := there.recv(LARGEST):
        said += more
    words, environment, folder = msgspec.json.decode(
        said, type=tuple[list[str], dict[str, str], str]
    )
    for file, number in zip(files, STANDARD, strict=True):
        os.dup2(file, number)
        os.close(file)
    os.chdir(folder)
    there.send(bytes([run(words, environment) & 0xFF]))


def serve(path: str, modules: list[str]) -> None:
    """Load modules, and run whatever is asked for in copies."""
    # A receiver that a busy machine kept waiting would be tried again only after five minutes.
    setattr(pool, "CONNECT_SECONDS", PATIENCE)  # noqa: B010 - it is final for everybody else
    for module in modules:
        importlib.import_module(module)
    if "stand" in sys.modules:
        sys.modules["stand"].popen = Copy  # type: ignore[attr-defined]  # of bench/
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()
        sys.stdout.write("loaded\n")
        sys.stdout.flush()
        while True:
            there, _ = listener.accept()
            with there:
                if os.fork() == 0:
                    listener.close()
                    try:
                        answer(there)
                    finally:
                        os._exit(0)
            reap()


def reap() -> None:
    """Forget the copies that have ended."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


if __name__ == "__main__":
    serve(sys.argv[1], sys.argv[2:])
