"""The box: a process for each job on strangers' bytes, started with nothing and stopped in time.

A process for each, because a decoder that was taken over must not see the next caller's picture;
starting one takes a tenth of a second. It reads and writes files without a name, so nobody waits
for anybody at a pipe, and what was told before it was stopped is there.
"""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, Final, Literal, NamedTuple

import msgspec
import structlog

from pannier.errors import Unavailable
from pannier.proofs.boxed import HEAD

logger = structlog.get_logger()

Job = Literal["photos", "signatures", "codes", "prints"]
SOURCE: Final = str(Path(__file__).resolve().parents[2])
START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from pannier.proofs.boxed import program; program.main()"
)
# The program gets bytes of strangers, so it gets no secrets.
SURROUNDINGS: Final = {
    name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ
}
# A second of its work may take so many of the clock's on a busy machine, and its start some more.
SLOWEST: Final = 8
STARTING: Final = 5
# How it ends when its time is over, or the machine's memory.
STOPPED: Final = frozenset({-signal.SIGKILL, -signal.SIGXCPU})


class Told(msgspec.Struct):
    """What the program says of a part of its job; it may have been taken over, so it is checked."""

    sizes: list[int]
    refused: str | None = None
    words: str = ""
    done: bool = False
    readable: bool = False
    codes: list[tuple[str, str, str | None]] = []
    content_type: Literal["image/jpeg", "image/png", ""] = ""
    original_type: Literal["image/jpeg", "image/png", "image/webp", ""] = ""
    width: int = 0
    height: int = 0
    pixels: int = 0
    exif: dict[str, str | int | list[float]] = {}


class Telling(NamedTuple):
    """What the program says, and the bytes that go with it."""

    told: Told
    made: list[bytes]


class Outcome(NamedTuple):
    """All that the program said until it ended; not `done` when it was stopped, or fell, before."""

    tellings: list[Telling]
    done: bool
    stopped: bool


_told: Final = msgspec.json.Decoder(Told)


def run(job: Job, parts: Sequence[bytes], *, seconds: int, most: int = 0) -> Outcome:
    """Let the program do a job, in so many seconds of its own time."""
    command = [sys.executable, "-I", "-c", START, SOURCE, job, str(seconds), str(most)]
    with tempfile.TemporaryFile() as sent, tempfile.TemporaryFile() as told:
        for part in parts:
            sent.write(len(part).to_bytes(4, "little") + part)
        sent.seek(0)
        try:
            ended = subprocess.run(  # noqa: S603 - our own program, and the bytes are its input
                command,
                stdin=sent,
                stdout=told,
                stderr=subprocess.DEVNULL,
                timeout=SLOWEST * seconds + STARTING,
                env=SURROUNDINGS,
                cwd="/",
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise Unavailable("Too many pictures at once; try again soon.") from None
        except OSError:
            raise Unavailable("There is no room for pictures just now; try again soon.") from None
        told.seek(0)
        tellings = list(_tellings(told))
    if ended.returncode > 0:  # by itself, which it never should
        logger.error("box_failed", job=job, code=ended.returncode)
        raise Unavailable
    done = bool(tellings) and tellings[-1].told.done
    said = [each for each in tellings if not each.told.done]
    return Outcome(said, done, ended.returncode in STOPPED)


def _tellings(told: BinaryIO) -> Iterator[Telling]:
    """Read what was told, up to where it was cut short or makes no sense."""
    while len(head := told.read(HEAD.size)) == HEAD.size:
        facts, size = HEAD.unpack(head)
        try:
            found = _told.decode(told.read(facts))
        except msgspec.DecodeError:
            return
        if sum(found.sizes) != size or any(each < 0 for each in found.sizes):
            return
        made = [told.read(each) for each in found.sizes]
        if sum(map(len, made)) != size:
            return
        yield Telling(found, made)
