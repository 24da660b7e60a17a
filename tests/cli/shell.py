"""A shell for tests: commands as `main` runs them, in this process, which saves it a start each."""

import io
import os
import sys
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any
from unittest import mock

import msgspec

import program
from pannier import cli


def run(data: Path, *words: str, **settings: str) -> CompletedProcess[str]:
    """Run a command to its end."""
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    chosen = {"password_memory": "8", **settings}
    with (
        mock.patch.dict(os.environ, program.environment(data, **chosen), clear=True),
        mock.patch.object(sys, "stdout", out),
        mock.patch.object(sys, "stderr", err),
    ):
        code = cli.run(words)
    return CompletedProcess(words, code, *(_text(stream) for stream in (out, err)))


def _text(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()


def answer(data: Path, *words: str, **settings: str) -> Any:
    """Run a command that prints JSON, and read it."""
    done = run(data, *words, **settings)
    assert done.returncode == 0, done.stderr
    return msgspec.json.decode(done.stdout)
