"""A copy of a loaded process is a process like any other: its files, its end, its exit code."""

import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

import copier
import program

pytestmark = pytest.mark.slow

FILES = """
import os
held = [f"/proc/self/fd/{number}" for number in os.listdir("/proc/self/fd")]
print(sorted(int(os.path.basename(file)) for file in held if os.path.exists(file)))
"""
WAITS = """
import signal
print("waits", flush=True)
signal.pause()
"""


def write(folder: Path, text: str) -> list[str]:
    """Write a script, and return the words that run it."""
    (folder / "script.py").write_text(text)
    return [str(folder / "script.py")]


def test_a_copy_has_the_files_that_are_passed_and_no_others(tmp_path: Path) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        number = theirs.fileno()
        copy = copier.start(
            write(tmp_path, FILES), env={}, stdout=subprocess.PIPE, pass_fds=[number]
        )
        with copy:
            assert copy.stdout is not None
            assert copy.stdout.read() == f"{sorted({0, 1, 2, number})}\n"


@pytest.mark.parametrize("ending", ["7", "'a word'", "None"])
def test_a_copy_ends_with_the_exit_code_of_its_program(tmp_path: Path, ending: str) -> None:
    words = write(tmp_path, f"import sys; sys.exit({ending})")
    with copier.start(words, env={}, stderr=subprocess.DEVNULL) as copy:
        assert copy.wait(program.PATIENCE) == {"7": 7, "None": 0}.get(ending, 1)


def test_a_copy_ends_by_the_signal_that_it_is_sent(tmp_path: Path) -> None:
    with copier.start(write(tmp_path, WAITS), env={}, stdout=subprocess.PIPE) as copy:
        assert copy.stdout is not None
        assert copy.stdout.readline() == "waits\n"
        assert "script.py" in program.command_of(copy.pid)
        copy.terminate()
        assert copy.wait(program.PATIENCE) == -signal.SIGTERM


def test_whoever_leaves_in_the_moment_of_an_end_harms_nobody(tmp_path: Path) -> None:
    words = write(tmp_path, "")
    for _ in range(20):
        copier.start(words, env={}).close()
    with copier.start(words, env={}) as copy:
        assert copy.wait(program.PATIENCE) == 0


def test_a_copy_ends_when_nobody_waits_for_it_any_more(tmp_path: Path) -> None:
    copy = copier.start(write(tmp_path, WAITS), env={}, stdout=subprocess.PIPE)
    assert copy.stdout is not None
    assert copy.stdout.readline() == "waits\n"
    with pytest.raises(subprocess.TimeoutExpired):
        copy.wait(0)
    said = os.fdopen(os.dup(copy.stdout.fileno()))
    copy.close()
    with said:
        assert said.read() == ""  # the end comes when nobody is left to write
