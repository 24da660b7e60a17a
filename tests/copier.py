"""Have Python programs run in copies of one process: loading takes longer than most of them do.

`python -I -S copier.py SOCKET WORD…` runs `python WORD…` from a shell that way. So this imports
nothing but the standard library.
"""

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

STANDARD = 0, 1, 2


def ask(
    path: str, *words: str, environment: Mapping[str, str], files: tuple[int, ...] = STANDARD
) -> int:
    """Have a program run with these files for its input and output, and return its exit code."""
    with socket.socket(socket.AF_UNIX) as there:
        there.connect(path)
        said = json.dumps([words, dict(environment), str(Path.cwd())]).encode()
        socket.send_fds(there, [said], files)
        there.shutdown(socket.SHUT_WR)
        answer = there.recv(1)
    return answer[0] if answer else 1


@contextmanager
def copying(
    folder: Path, *modules: str, environment: Mapping[str, str] = os.environ
) -> Iterator[str]:
    """Keep a process with modules loaded, and answer the socket at which it takes programs."""
    from pannier import lifeline  # noqa: PLC0415 - not for who asks from a shell

    path = str(folder / "copies.socket")
    command = [sys.executable, str(Path(__file__).with_name("copies.py")), path, *modules]
    with subprocess.Popen(
        lifeline.command(command, ending=signal.SIGKILL),
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "loaded\n"
        try:
            yield path
        finally:
            process.kill()


if __name__ == "__main__":
    sys.exit(ask(*sys.argv[1:], environment=os.environ))
