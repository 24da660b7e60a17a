"""The JSON bodies that the guides send, read by running their commands without their programs.

A shell runs each guide and finds no program at all, so nothing happens; what `curl` would have
been called with is written down. Every other program seems to answer with a `1`.
"""

import json
import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from journeys import test_guides as guides

GUIDES: Final = sorted((guides.ROOT / "docs" / "guide").glob("*.md"))
SHELL: Final = r"""
PATH=/nowhere

command_not_found_handle() {
    if [ "$1" = curl ]; then
        [[ " $* " = *" @- "* ]] && printf 'stdin\0%s\0' "$(< /dev/stdin)" >> "$CURLS"
        printf '%s\0' "$@" $'\n' >> "$CURLS"
    fi
    echo 1
}
sleep() { :; }
kill() { :; }
"""
DATA: Final = ("-d", "--data", "--data-raw", "--data-binary", "--json")
WAITING: Final = re.compile(r"^ *(?:until|while) .*?[;\n]\s*do\b", re.MULTILINE | re.DOTALL)
BASE: Final = re.compile(r"^http://127\.0\.0\.1:8000|^1(?=/)")


class GuideRequest(NamedTuple):
    """A request with a JSON body, and the guide it is in."""

    guide: str
    method: str
    path: str
    body: Any


def list_requests(folder: Path) -> list[GuideRequest]:
    """List the requests of all guides that are not meant to be refused."""
    return [request for guide in GUIDES for request in _list_guide(guide, folder)]


def _list_guide(guide: Path, folder: Path) -> Iterator[GuideRequest]:
    # Nothing changes, so nobody waits for it.
    blocks = [
        WAITING.sub("for _ in once; do", block.text)
        for block in guides.blocks(guide)
        if not block.refused
    ]
    calls = folder / f"{guide.stem}.calls"
    calls.touch()
    subprocess.run(
        ["/bin/bash", "-c", "\n".join([SHELL, *blocks])],
        cwd=folder,
        env={"CURLS": str(calls), "PATH": os.environ["PATH"]},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=20,
        check=False,
    )
    for line in calls.read_text().split("\0\n\0"):
        request = _read_call(guide.stem, line.split("\0"))
        if request is not None:
            yield request


def _read_call(guide: str, words: Sequence[str]) -> GuideRequest | None:
    """Read the words of a call; None without a JSON body."""
    stdin = words[1] if words[0] == "stdin" else ""
    words = words[2:] if words[0] == "stdin" else words
    pairs = dict(zip(words, [*words[1:], ""], strict=True))
    data = next((pairs[name] for name in DATA if name in pairs), None)
    url = next((word for word in words if BASE.match(word)), "")
    if data is None or "-G" in words:
        return None
    try:
        body = json.loads(stdin if data == "@-" else data)
    except ValueError:
        return None
    if not isinstance(body, dict | list):
        return None
    path = BASE.sub("", url).partition("?")[0]
    return GuideRequest(guide, pairs.get("-X", "POST").lower(), path, body)
