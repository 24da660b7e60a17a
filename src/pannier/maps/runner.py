"""Run a program to its end, within this command."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from pannier.child_process import build_command
from pannier.errors import SetupError

# How much of a program's output is kept.
MAX_OUTPUT_CHARACTERS: Final = 100_000


def run_program(
    command: Sequence[str | Path], *, folder: Path, environment: Mapping[str, str] | None = None
) -> str:
    """Run a program and return its output. It ends with this process, even with SIGKILL."""
    words = build_command(list(map(str, command)), parent_death_signal=signal.SIGKILL)
    done = subprocess.run(  # noqa: S603 - our own words
        words,
        cwd=folder,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise SetupError(f"{Path(command[0]).name} failed: {_last_line(done.stdout)}")
    return done.stdout[-MAX_OUTPUT_CHARACTERS:]


def _last_line(output: str) -> str:
    lines = output.strip().splitlines()
    return lines[-1].strip() if lines else "without a message"
