"""A child process whose life hangs on its parent's, even when the parent is killed with -9.

Run as a script this file lets go of privileges, ties itself to its parent, and becomes the program.
It is a script and no `preexec_fn` because code between fork and exec may deadlock as soon as the
parent has a thread. It runs without the site packages, so it imports the standard library only.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
NOT_STARTED = 127
# How long a process may take to end after it was asked to: longer than an orderly end takes.
LAST_SECONDS = 18


def command(
    program: Sequence[str],
    *,
    ending: signal.Signals,
    become: tuple[int, int] | None = None,
    directory: Path | None = None,
) -> list[str]:
    """Give the command that runs a program until it ends or this process does.

    `ending` is the signal the program receives on Linux when the *thread* that started it ends, so
    a long-lived child belongs to the main thread. `become` is the user and group to run as.
    """
    identity = "" if become is None else f"{become[0]}:{become[1]}"
    bare = [sys.executable, "-I", "-S", __file__]
    return [*bare, str(int(ending)), str(os.getpid()), identity, str(directory or ""), *program]


def end_soon() -> None:
    """Have the kernel end this process if it has not ended by itself, whatever it hangs in."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(LAST_SECONDS)


def _drop(identity: str) -> None:
    """Become the unprivileged account, for good."""
    uid, gid = map(int, identity.split(":"))
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def _tie(ending: int, parent: int) -> None:
    """Ask the kernel to end us with our parent, or leave at once when it is gone already."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, ending)
    if os.getppid() != parent:
        sys.exit(NOT_STARTED)


def _reset_signals() -> None:
    """Hand the program what Python took from us: exec keeps a signal ignored."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for ignored in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(ignored, signal.SIG_DFL)


def main(ending: str, parent: str, identity: str, directory: str, *program: str) -> None:
    """Become the program."""
    try:
        if identity:
            _drop(identity)
        _tie(int(ending), int(parent))  # after the drop: a change of user unties
        if directory:
            os.chdir(directory)
        _reset_signals()
        os.execvp(program[0], program)  # noqa: S606  running the caller's program is the purpose
    except OSError as error:
        sys.exit(f"FATAL:  {program[0]} cannot be started: {error.strerror}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
