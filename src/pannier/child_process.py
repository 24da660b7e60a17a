"""Child processes that end with their parent, even when the parent is killed with SIGKILL.

As a script, this file drops privileges, ties itself to its parent, and executes the program.
It is a script and not a `preexec_fn`, because code between fork and exec can deadlock once the
parent has threads. It runs without site packages, so it imports only the standard library.
"""

import ctypes
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

PR_SET_PDEATHSIG = 1
NOT_STARTED = 127
# A process must end within this time after SIGTERM. An orderly end takes less.
EXIT_TIMEOUT_SECONDS = 18


def build_command(
    program: Sequence[str],
    *,
    parent_death_signal: signal.Signals,
    run_as: tuple[int, int] | None = None,
    directory: Path | None = None,
) -> list[str]:
    """Return the command that runs a program until it ends or this process ends.

    On Linux, the program receives `parent_death_signal` when the *thread* that started it ends. So
    start long-lived children from the main thread. `run_as` is the user and group to run as.
    """
    identity = "" if run_as is None else f"{run_as[0]}:{run_as[1]}"
    interpreter = [sys.executable, "-I", "-S", __file__]
    return [
        *interpreter,
        str(int(parent_death_signal)),
        str(os.getpid()),
        identity,
        str(directory or ""),
        *program,
    ]


def schedule_kill() -> None:
    """Have the kernel end this process after `EXIT_TIMEOUT_SECONDS`, even if it hangs."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(EXIT_TIMEOUT_SECONDS)


def _drop_privileges(identity: str) -> None:
    """Switch to the unprivileged account, irrevocably."""
    uid, gid = map(int, identity.split(":"))
    os.setgroups([])
    os.setgid(gid)
    os.setuid(uid)


def _tie_to_parent(parent_death_signal: int, parent: int) -> None:
    """Ask the kernel to end this process with its parent. Exit if the parent has ended."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, parent_death_signal)
    if os.getppid() != parent:
        sys.exit(NOT_STARTED)


def _reset_signals() -> None:
    """Undo Python's signal handling, because signals that are ignored stay ignored after exec."""
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)


def main(
    parent_death_signal: str, parent: str, identity: str, directory: str, *program: str
) -> None:
    try:
        if identity:
            _drop_privileges(identity)
        # After dropping privileges, because a change of user clears the parent-death signal.
        _tie_to_parent(int(parent_death_signal), int(parent))
        if directory:
            os.chdir(directory)
        _reset_signals()
        os.execvp(program[0], program)  # noqa: S606  running the caller's program is the purpose
    except OSError as error:
        sys.exit(f"FATAL:  {program[0]} cannot be started: {error.strerror}.")


if __name__ == "__main__":
    main(*sys.argv[1:])
