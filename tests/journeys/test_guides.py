"""Every command of every guide, pasted in order into one shell, beside a running installation.

A block marked `sh` runs. One marked `sh elsewhere` needs what a test cannot have: another machine,
somebody's account, a clone of its own. A block before an answer with a status from 400 on is meant
to be refused.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

import pytest

import copier
from program import Serving, environment, free_port, serving
from scenery import copy, reachable_folder

pytestmark = pytest.mark.slow

ROOT: Final = Path(__file__).resolve().parents[2]
GUIDES: Final = sorted([*ROOT.glob("docs/guide/*.md"), *ROOT.glob("docs/operate/*.md")])
FENCE: Final = re.compile(r"^```([^\n]*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
REFUSED: Final = re.compile(r'"status": 4\d\d')
WRITTEN: Final = "http://127.0.0.1:8000"
PROLOGUE: Final = """
set -eEuo pipefail
trap 'echo "the block that begins with: $BLOCK" >&2' ERR
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
BLOCK=
curl() { command curl --silent --show-error --fail-with-body "$@"; }
"""
LONGEST: Final = 150
# What goes on is a process of its own; what ends soon takes longer to load than to run.
COMMAND: Final = """#!/bin/sh
case "$1" in
    serve | worker | listen) exec {python} -m pannier "$@" ;;
    *) exec {python} -I -S {copier} {path} -m pannier "$@" ;;
esac
"""
# How many blocks cannot run here; there are only ever fewer.
ELSEWHERE: Final = 14


class Block(NamedTuple):
    """Commands of a guide, and whether they are to be refused."""

    text: str
    refused: bool


def blocks(guide: Path) -> Iterator[Block]:
    """List the commands of a guide."""
    fences = FENCE.findall(guide.read_text())
    for (kind, text), (_, answer) in pairwise([*fences, ("", "")]):
        if kind == "sh":
            yield Block(text, REFUSED.search(answer) is not None)


def script(guide: Path, url: str) -> str:
    """Write a guide as one script."""
    parts = [PROLOGUE]
    for block in blocks(guide):
        first = block.text.splitlines()[0].replace("'", "")
        commands = f"if (\n{block.text}\n); then exit 1; fi" if block.refused else block.text
        parts.append(f"BLOCK='{first}'\n{commands}")
    text = "\n".join(parts).replace(WRITTEN, url)
    # Somebody else's receiver may have the usual port.
    return re.sub(r"(127\.0\.0\.1:|serve )3000\b", rf"\g<1>{free_port()}", text)


@pytest.fixture(scope="module")
def installation(cluster: Path) -> Iterator[tuple[Serving, Path]]:
    """A running Pannier, as somebody has it who reads the guides."""
    with reachable_folder() as data:
        copy(cluster, data)
        with serving(data, "--workers", "1", payments="fake") as program:
            yield program.ready(), data


@pytest.mark.parametrize("guide", GUIDES, ids=lambda guide: f"{guide.parent.name}/{guide.stem}")
def test_a_guide_works_when_it_is_pasted(
    installation: tuple[Serving, Path], tmp_path: Path, guide: Path
) -> None:
    program, data = installation
    command = tmp_path / "bin" / "pannier"
    command.parent.mkdir()
    loaded = copier.find_loaded()
    command.write_text(COMMAND.format(python=sys.executable, copier=copier.__file__, path=loaded))
    command.chmod(0o755)
    path = f"{command.parent}:{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["/bin/bash", "-c", script(guide, program.url)],
        cwd=tmp_path,
        env={**environment(data), "PATH": path},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 0, f"{done.stderr[-2000:]}\n{done.stdout[-2000:]}"


def test_hardly_a_command_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    kinds = [kind for guide in GUIDES for kind, _ in FENCE.findall(guide.read_text())]
    run, left = kinds.count("sh"), kinds.count("sh elsewhere")
    with capsys.disabled():
        print(f"\n{run} blocks of {len(GUIDES)} guides run, {left} do not")  # noqa: T201 - the counts are the result
    assert left <= ELSEWHERE
    assert not [kind for kind in kinds if kind.startswith(("bash", "shell", "console"))]
