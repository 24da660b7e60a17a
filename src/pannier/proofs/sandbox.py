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
from pannier.proofs.sandboxed import EXIT_CODE, JOB_HEADER, REPORT_HEADER

logger = structlog.get_logger()

Job = Literal["photos", "signatures", "codes", "prints"]
SOURCE_ROOT: Final = str(Path(__file__).resolve().parents[2])
FORK_SERVER_PROGRAM: Final = (
    "import sys; sys.path.insert(0, sys.argv.pop(1)); "
    "from pannier.proofs.sandboxed import fork_server; fork_server.main()"
)
# The program decodes untrusted bytes, so its environment has no secrets. A fork faults in all of
# its memory, which takes a quarter of the whole time page by page, and half of that with huge
# pages.
ENVIRONMENT: Final = {
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
# Wall-clock seconds allowed per CPU second, because the machine may be busy.
WALL_SECONDS_PER_CPU_SECOND: Final = 8
STARTUP_SECONDS: Final = 5
# Exit codes of a job that ran out of time, or was killed for memory.
TIMEOUT_EXIT_CODES: Final = frozenset({-signal.SIGKILL, -signal.SIGXCPU})
# Limits on the output: bytes of a part's report, and number of reports.
MAX_REPORT_BYTES: Final = 1024 * 1024
MAX_REPORTS: Final = 64
# All forks of a fork server share its address layout. It is replaced before an attacker can find
# the layout by trial.
MAX_JOBS_PER_FORK_SERVER: Final = 1000
# A fork server may be killed like any process. The next one repeats its job.
MAX_TRIES: Final = 2

ShortText = Annotated[str, Meta(max_length=100, pattern=r"^[^\x00-\x1f\x7f]*\Z")]
Degrees = Annotated[float, Meta(ge=-180, le=180)]
Pixels = Annotated[int, Meta(ge=0, le=50_000_000)]


class Exif(msgspec.Struct, omit_defaults=True, forbid_unknown_fields=True):
    """EXIF facts that count as evidence."""

    taken_at: Annotated[str, Meta(pattern=r"^[0-9: ]{19}\Z")] = ""
    make: ShortText = ""
    model: ShortText = ""
    gps: Annotated[list[Degrees], Meta(min_length=2, max_length=2)] | None = None
    orientation: Annotated[int, Meta(ge=0, le=8)] = 0


class PartReport(msgspec.Struct):
    """The report on a part of a job. It is validated: the program may be compromised."""

    sizes: Annotated[list[Annotated[int, Meta(ge=0)]], Meta(max_length=2)]
    error_code: ShortText | None = None
    message: ShortText = ""
    done: bool = False
    readable: bool = False
    codes: Annotated[list[tuple[str, ShortText, str | None]], Meta(max_length=255)] = []
    content_type: Literal["image/jpeg", "image/png", ""] = ""
    original_type: Literal["image/jpeg", "image/png", "image/webp", ""] = ""
    width: Pixels = 0
    height: Pixels = 0
    pixels: Pixels = 0
    exif: Exif = msgspec.field(default_factory=Exif)


class PartResult(NamedTuple):
    """A report and the files that belong to it."""

    report: PartReport
    files: list[bytes]


class JobOutput(NamedTuple):
    """The reports of a job. `done` is false if it was killed or crashed before the end."""

    parts: list[PartResult]
    done: bool
    timed_out: bool


_report_decoder: Final = msgspec.json.Decoder(PartReport)


class ForkServerHandle:
    """The fork server's process, and the socket to it."""

    def __init__(self) -> None:
        self.connection, server_end = socket.socketpair()
        with server_end:
            self.process = subprocess.Popen(  # noqa: S603 - our own program
                [sys.executable, "-I", "-c", FORK_SERVER_PROGRAM, SOURCE_ROOT],
                stdin=server_end.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=ENVIRONMENT,
                cwd="/",
            )
        self.jobs = 0

    @property
    def is_alive(self) -> bool:
        """Whether the process runs. Reaps it if it has exited."""
        return self.process.poll() is None


class Sandbox:
    """The current fork server, and earlier ones that still have jobs."""

    def __init__(
        self,
        *,
        jobs_per_server: int = MAX_JOBS_PER_FORK_SERVER,
        wall_seconds_per_cpu_second: float = WALL_SECONDS_PER_CPU_SECOND,
        startup_seconds: float = STARTUP_SECONDS,
    ) -> None:
        self._jobs_per_server, self._wall_seconds_per_cpu_second, self._startup_seconds = (
            jobs_per_server,
            wall_seconds_per_cpu_second,
            startup_seconds,
        )
        self._lock = threading.Lock()
        self._server: ForkServerHandle | None = None
        self._retiring_servers: list[ForkServerHandle] = []

    def run(
        self, job: Job, parts: Sequence[bytes], *, seconds: int, max_pixels: int = 0
    ) -> JobOutput:
        """Run a job with a limit on its CPU seconds."""
        header = JOB_HEADER.pack(job.encode(), seconds, max_pixels)
        timeout = self._wall_seconds_per_cpu_second * seconds + self._startup_seconds
        try:
            tries = (self._try_job(header, parts, timeout) for _ in range(MAX_TRIES))
            results, exit_code = next(
                (result for result in tries if result is not None), ([], None)
            )
        except TimeoutError:
            raise Unavailable("Too many pictures at once. Try again soon.") from None
        except OSError:
            raise Unavailable(
                "The server has too little memory for pictures now. Try again soon."
            ) from None
        if exit_code is None or exit_code > 0:  # the program never exits with an error itself
            logger.error("sandbox failed", job=job, code=exit_code)
            raise Unavailable
        done = bool(results) and results[-1].report.done
        return JobOutput(
            [result for result in results if not result.report.done],
            done,
            exit_code in TIMEOUT_EXIT_CODES,
        )

    def close(self) -> None:
        """Stop the fork servers, and wait until they exit."""
        with self._lock:
            self._retire_current_server()
            for server in self._retiring_servers:
                server.process.wait()

    def _try_job(
        self, header: bytes, parts: Sequence[bytes], timeout: float
    ) -> tuple[list[PartResult], int] | None:
        """Run a job and return its reports and exit code, or None if the fork server died."""
        with _open_anonymous_file() as input_file, _open_anonymous_file() as output_file:
            input_file.write(header)
            for part in parts:
                input_file.write(len(part).to_bytes(4, "little"))
                input_file.write(part)
            input_file.seek(0)
            exit_code = self._await_exit(input_file, output_file, timeout)
            output_file.seek(0)
            results = list(islice(parse_results(output_file), MAX_REPORTS))
        return (results, EXIT_CODE.unpack(exit_code)[0]) if exit_code else None

    def _await_exit(self, input_file: BinaryIO, output_file: BinaryIO, timeout: float) -> bytes:
        client_end, server_end = socket.socketpair()
        with client_end:  # closing it kills the job
            client_end.settimeout(timeout)
            with server_end:
                server = self._submit_job(
                    server_end.fileno(), input_file.fileno(), output_file.fileno()
                )
            exit_code = client_end.recv(EXIT_CODE.size)
        if not exit_code:
            self._retire_server(server)
        return exit_code

    def _submit_job(self, *descriptors: int) -> ForkServerHandle:
        """Send a job to the fork server. Replace a server that is used up or dead."""
        with self._lock:
            server = self._server
            if server is None or server.jobs == self._jobs_per_server or not server.is_alive:
                self._retire_current_server()
                server = self._server = ForkServerHandle()
            server.jobs += 1
            with suppress(BrokenPipeError):  # it just died; the job's own socket reports that
                socket.send_fds(server.connection, [b"\0"], descriptors)
            return server

    def _retire_server(self, server: ForkServerHandle) -> None:
        with self._lock:
            if server is self._server:
                self._retire_current_server()

    def _retire_current_server(self) -> None:
        """Send no more jobs to the current fork server, which exits after its last one."""
        self._retiring_servers = [server for server in self._retiring_servers if server.is_alive]
        if self._server is not None:
            self._server.connection.close()
            self._retiring_servers.append(self._server)
            self._server = None


_sandbox: Final = Sandbox()
run: Final = _sandbox.run
atexit.register(_sandbox.close)


def _open_anonymous_file() -> BinaryIO:
    """Return an anonymous file, in memory where the system supports that.

    It is unbuffered, because the sandbox process moves the shared position too.
    """
    if sys.platform == "linux":
        return FileIO(os.memfd_create("box"), "w+b")
    return tempfile.TemporaryFile(buffering=0)


def parse_results(output: BinaryIO) -> Iterator[PartResult]:
    """Parse reports until one is truncated or invalid."""
    while len(header := output.read(REPORT_HEADER.size)) == REPORT_HEADER.size:
        report_length, files_length = REPORT_HEADER.unpack(header)
        try:
            report = _report_decoder.decode(output.read(min(report_length, MAX_REPORT_BYTES)))
        except (msgspec.DecodeError, UnicodeDecodeError):
            return
        if sum(report.sizes) != files_length:
            return
        contents = [output.read(length) for length in report.sizes]
        if sum(map(len, contents)) != files_length:
            return
        yield PartResult(report, contents)
