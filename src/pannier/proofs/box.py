"""The sandbox: one process per image job, without secrets and with a time limit.

Each job has its own process, because a compromised decoder must not see the next caller's picture.
The process is a fork of a clean fork server, which starts once and loads the decoders, so jobs do
not wait for imports. Input and output are anonymous files: nothing blocks on a pipe, and results
written before a timeout remain readable.
"""

import atexit
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import suppress
from io import FileIO
from itertools import islice
from pathlib import Path
from typing import Annotated, BinaryIO, Final, Literal, NamedTuple

import msgspec
import structlog
from msgspec import Meta

from pannier.errors import Unavailable
from pannier.proofs.boxed import ASKED, ENDED, HEAD

logger = structlog.get_logger()

Job = Literal["photos", "signatures", "codes", "prints"]
SOURCE: Final = str(Path(__file__).resolve().parents[2])
START: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from pannier.proofs.boxed import keeper; keeper.main()"
)
# The program decodes untrusted bytes, so its environment has no secrets. A fork faults in all of
# its memory, which takes a quarter of the whole time page by page, and half of that with huge
# pages.
SURROUNDINGS: Final = {
    **{name: os.environ[name] for name in ("LD_LIBRARY_PATH",) if name in os.environ},
    "GLIBC_TUNABLES": ":".join(
        f"glibc.malloc.{name}={value}"
        for name, value in (
            ("hugetlb", 1),
            ("mmap_threshold", 2**30),
            ("trim_threshold", 2**30),
            ("top_pad", 2**26),
        )
    ),
}
# Wall-clock seconds allowed per CPU second, because the machine may be busy; plus the start-up.
SLOWEST: Final = 8
STARTING: Final = 5
# Exit codes of a job that ran out of time, or was killed for memory.
STOPPED: Final = frozenset({-signal.SIGKILL, -signal.SIGXCPU})
# Limits on the output: bytes of a part's report, and number of reports.
MOST_FACTS: Final = 1024 * 1024
MOST_TELLINGS: Final = 64
# All forks of a fork server share its address layout. It is replaced before an attacker can find
# the layout by trial.
MOST_JOBS: Final = 1000
# A fork server may be killed like any process; the next one repeats its job.
TRIES: Final = 2

Words = Annotated[str, Meta(max_length=100, pattern=r"^[^\x00-\x1f\x7f]*\Z")]
Degrees = Annotated[float, Meta(ge=-180, le=180)]
Pixels = Annotated[int, Meta(ge=0, le=50_000_000)]


class Exif(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """EXIF facts that count as evidence."""

    taken_at: Annotated[str, Meta(pattern=r"^[0-9: ]{19}\Z")] = ""
    make: Words = ""
    model: Words = ""
    gps: Annotated[list[Degrees], Meta(min_length=2, max_length=2)] | None = None
    orientation: Annotated[int, Meta(ge=0, le=8)] = 0


class Told(msgspec.Struct):
    """The program's report on a part of its job; validated, as the program may be compromised."""

    sizes: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(max_length=2)]
    refused: Words | None = None
    words: Words = ""
    done: bool = False
    readable: bool = False
    codes: Annotated[list[tuple[str, Words, str | None]], Meta(max_length=255)] = []
    content_type: Literal["image/jpeg", "image/png", ""] = ""
    original_type: Literal["image/jpeg", "image/png", "image/webp", ""] = ""
    width: Pixels = 0
    height: Pixels = 0
    pixels: Pixels = 0
    exif: Exif = msgspec.field(default_factory=Exif)


class Telling(NamedTuple):
    """A report and the files that belong to it."""

    told: Told
    made: list[bytes]


class Outcome(NamedTuple):
    """All reports of a job; `done` is false when it was killed or crashed before the end."""

    tellings: list[Telling]
    done: bool
    stopped: bool


_told: Final = msgspec.json.Decoder(Told)


class Keeper:
    """The fork server's process, and the socket to it."""

    def __init__(self) -> None:
        self.line, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-I", "-c", START, SOURCE],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=SURROUNDINGS,
                cwd="/",
            )
        self.jobs = 0

    @property
    def alive(self) -> bool:
        """Return whether the process runs; reap it otherwise."""
        return self.process.poll() is None


class Box:
    """The current fork server, and earlier ones that still have jobs."""

    def __init__(
        self, *, jobs: int = MOST_JOBS, slowest: float = SLOWEST, starting: float = STARTING
    ) -> None:
        self._jobs, self._slowest, self._starting = jobs, slowest, starting
        self._lock = threading.Lock()
        self._keeper: Keeper | None = None
        self._leaving: list[Keeper] = []

    def run(self, job: Job, parts: Sequence[bytes], *, seconds: int, most: int = 0) -> Outcome:
        """Run a job with a limit of so many CPU seconds."""
        asked = ASKED.pack(job.encode(), seconds, most)
        patience = self._slowest * seconds + self._starting
        try:
            tries = (self._tried(asked, parts, patience) for _ in range(TRIES))
            found, code = next((ended for ended in tries if ended is not None), ([], None))
        except TimeoutError:
            raise Unavailable("Too many pictures at once. Try again soon.") from None
        except OSError:
            raise Unavailable(
                "There is no memory for pictures at the moment. Try again soon."
            ) from None
        if code is None or code > 0:  # the program never exits with an error itself
            logger.error("sandbox failed", job=job, code=code)
            raise Unavailable
        done = bool(found) and found[-1].told.done
        return Outcome([each for each in found if not each.told.done], done, code in STOPPED)

    def close(self) -> None:
        """Let every fork server exit, and wait for it."""
        with self._lock:
            self._let_go()
            for keeper in self._leaving:
                keeper.process.wait()

    def _tried(
        self, asked: bytes, parts: Sequence[bytes], patience: float
    ) -> tuple[list[Telling], int] | None:
        """Run a job and return its reports and exit code; None when its fork server died."""
        with _unnamed() as sent, _unnamed() as told:
            sent.write(asked)
            for part in parts:
                sent.write(len(part).to_bytes(4, "little"))
                sent.write(part)
            sent.seek(0)
            ended = self._ended(sent, told, patience)
            told.seek(0)
            found = list(islice(tellings(told), MOST_TELLINGS))
        return (found, ENDED.unpack(ended)[0]) if ended else None

    def _ended(self, sent: BinaryIO, told: BinaryIO, patience: float) -> bytes:
        ours, theirs = socket.socketpair()
        with ours:  # closing it kills the job
            ours.settimeout(patience)
            with theirs:
                keeper = self._asked(theirs.fileno(), sent.fileno(), told.fileno())
            ended = ours.recv(ENDED.size)
        if not ended:
            self._dismiss(keeper)
        return ended

    def _asked(self, *descriptors: int) -> Keeper:
        """Send a job to the fork server; start a new one after its last job, or when it died."""
        with self._lock:
            keeper = self._keeper
            if keeper is None or keeper.jobs == self._jobs or not keeper.alive:
                self._let_go()
                keeper = self._keeper = Keeper()
            keeper.jobs += 1
            with suppress(BrokenPipeError):  # it just died; the job's own socket reports that
                socket.send_fds(keeper.line, [b"\0"], descriptors)
            return keeper

    def _dismiss(self, keeper: Keeper) -> None:
        with self._lock:
            if keeper is self._keeper:
                self._let_go()

    def _let_go(self) -> None:
        """Send the current fork server no more jobs: it exits after its last."""
        self._leaving = [keeper for keeper in self._leaving if keeper.alive]
        if self._keeper is not None:
            self._keeper.line.close()
            self._leaving.append(self._keeper)
            self._keeper = None


_box: Final = Box()
run: Final = _box.run
atexit.register(_box.close)


def _unnamed() -> BinaryIO:
    """Return an anonymous file, in memory where the system supports that.

    Unbuffered, because the sandbox process moves the shared position too.
    """
    if sys.platform == "linux":
        return FileIO(os.memfd_create("box"), "w+b")
    return tempfile.TemporaryFile(buffering=0)


def tellings(told: BinaryIO) -> Iterator[Telling]:
    """Parse the reports up to the first that is truncated or invalid."""
    while len(head := told.read(HEAD.size)) == HEAD.size:
        facts, size = HEAD.unpack(head)
        try:
            found = _told.decode(told.read(min(facts, MOST_FACTS)))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        if sum(found.sizes) != size:
            return
        made = [told.read(each) for each in found.sizes]
        if sum(map(len, made)) != size:
            return
        yield Telling(found, made)
