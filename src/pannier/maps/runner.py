"""Run a program until it ends."""

import os
import signal
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

from pannier.child_process import build_command
from pannier.errors import SetupError

# The last lines of a program's output that are kept.
MAX_LINES: Final = 200
# The programs mark their errors, which are not always the last lines.
ERROR_MARKS: Final = ("[error]", "what():")
DISK_FULL: Final = "The disk is full. Free some space, then run the same command again to continue."


class ProgramError(SetupError):
    """A program ended with an error. `output` has its last lines."""

    def __init__(self, name: str, output: Sequence[str]) -> None:
        self.output = output
        is_disk_full = any("No space left" in line for line in output)
        super().__init__(DISK_FULL if is_disk_full else f"{name} failed: {_find_reason(output)}")


def _find_reason(output: Sequence[str]) -> str:
    error_lines = [line for line in output if any(mark in line for mark in ERROR_MARKS)]
    lines = error_lines or [line for line in output if line]
    return lines[-1] if lines else "no message"


def run_program(
    command: Sequence[str | Path],
    *,
    folder: Path,
    environment: Mapping[str, str] | None = None,
    read_line: Callable[[str], None] = lambda _: None,
) -> None:
    """Run a program, and pass each line of its output to `read_line`.

    It is killed when this process ends, even by SIGKILL.
    """
    arguments = build_command(list(map(str, command)), parent_death_signal=signal.SIGKILL)
    lines: deque[str] = deque(maxlen=MAX_LINES)
    with subprocess.Popen(  # noqa: S603 - our own arguments
        arguments,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    ) as process:
        try:
            for line in process.stdout or ():
                lines.append(line.strip())
                read_line(line)
        except BaseException:
            process.kill()
            raise
    if process.returncode:
        raise ProgramError(Path(command[0]).name, lines)
