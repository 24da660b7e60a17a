"""Supervision of the processes of `pannier serve`: restarts them, and stops them together."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from pannier import lifeline

SHORTEST, LONGEST = 0.5, 30.0  # seconds before a restart
GOOD_LIFE = 60.0  # after a run of this length, earlier failures no longer count
PATIENCE = 10.0  # seconds in which a process ends after SIGTERM

Say = Callable[[str], None]
Keep = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Child:
    """A program that should run all the time."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    # Whether the program may run yet.
    wanted: Callable[[], bool] = lambda: True


def delay(failures: int) -> float:
    """Return the seconds before a restart, after the given number of failures in a row."""
    return min(SHORTEST * 2.0 ** min(failures - 1, 10), LONGEST)


def failures_in_a_row(before: int, lived: float) -> int:
    """Count one more failure. Ignore earlier ones if the process ran for `STABLE_SECONDS`."""
    return 1 if lived >= GOOD_LIFE else before + 1


def in_words(code: int) -> str:
    """Describe how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    number = -code
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(number).name} ({signal.strsignal(number)})"
    return f"was ended by signal {number}"


def run(children: Sequence[Child], *, keep: Keep | None = None, say: Say) -> int:
    """Run the children until SIGINT or SIGTERM and return the exit code.

    `maintain` looks after everything that is not a child. It returns the seconds until it wants to
    be called again. A signal to stop interrupts it with an exception. Call this function from the
    main thread, because signals arrive nowhere else.
    """
    lives = [_Life(child) for child in children]
    with _inbox() as inbox:
        try:
            with contextlib.suppress(_Interrupted):
                _supervise(lives, inbox, keep, say)
            say("Stopping.")
        finally:
            _stop(lives, inbox, say)
    return 0


def _supervise(lives: Sequence["_Life"], inbox: "_Inbox", keep: Keep | None, say: Say) -> None:
    """Restart processes that end, until a signal to stop arrives."""
    keep_at = time.monotonic()
    while True:
        for life in lives:
            life.tend(say)
        if keep and time.monotonic() >= keep_at:
            keep_at = inbox.interrupted_during(keep) + time.monotonic()
        wakes = [life.due for life in lives if life.waits()] + ([keep_at] if keep else [])
        received = inbox.wait(min(wakes) - time.monotonic() if wakes else None)
        if signal.SIGINT in received or signal.SIGTERM in received:
            return


def _stop(lives: Sequence["_Life"], inbox: "_Inbox", say: Say) -> None:
    """Send SIGTERM to all processes, and SIGKILL to those that do not end in time."""
    inbox.wait(0)  # discards the signals that led here
    running = [(life.child.name, life.process) for life in lives if life.process]
    for _, process in running:
        process.terminate()
    deadline = time.monotonic() + PATIENCE
    while any(process.poll() is None for _, process in running):
        left = deadline - time.monotonic()
        if left <= 0 or signal.SIGINT in inbox.wait(left):  # a second Ctrl-C kills at once
            break
    for name, process in running:
        if process.poll() is None:
            say(f"The process {name} did not stop in time and is killed.")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _Life:
    """A child's process, running or waiting for its next start."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.due = 0.0
        self._born = 0.0
        self._failures = 0

    def tend(self, say: Say) -> None:
        """Schedule a restart if the process has ended, and start it when it is due."""
        if self.process and (code := self.process.poll()) is not None:
            self.process = None
            self._fail(in_words(code), say)
        if self.waits() and time.monotonic() >= self.due:
            self._start(say)

    def waits(self) -> bool:
        """Return whether the child is scheduled to start."""
        return not self.process and self.child.wanted()

    def _start(self, say: Say) -> None:
        self._born = time.monotonic()
        try:
            self.process = subprocess.Popen(  # noqa: S603  our own commands
                lifeline.command(self.child.command, ending=signal.SIGTERM),
                env=self.child.environment,
                pass_fds=self.child.pass_fds,
                process_group=0,  # Ctrl-C reaches only the supervisor, which stops all in order
            )
        except OSError as error:
            self._fail(f"could not be started ({error.strerror})", say)

    def _fail(self, how: str, say: Say) -> None:
        now = time.monotonic()
        self._failures = failures_in_a_row(self._failures, now - self._born)
        pause = delay(self._failures)
        self.due = now + pause
        say(f"The process {self.child.name} {how}; it starts again in {pause:g} seconds.")


class _Interrupted(KeyboardInterrupt):
    """A signal to stop arrived during maintenance.

    It is a KeyboardInterrupt, so that no `except Exception` swallows it.
    """


class _Inbox:
    """The signals of this process, read from a pipe instead of by polling."""

    def __init__(self, reader: int) -> None:
        self._reader = reader
        self._interrupts = self._asked = False

    def wait(self, seconds: float | None) -> bytes:
        """Wait for signals, for at most the given seconds, and return their numbers."""
        ready, _, _ = select.select([self._reader], [], [], seconds and max(seconds, 0))
        return os.read(self._reader, 4096) if ready else b""

    def interrupted_during(self, work: Keep) -> float:
        """Do work that a signal to stop interrupts, also one that arrived before."""
        self._interrupts = True
        try:
            if self._asked:
                raise _Interrupted
            return work()
        finally:
            self._interrupts = False

    def handle(self, number: int, _: FrameType | None) -> None:
        """Interrupt interruptible work. The signal's number is already in the pipe."""
        if number != signal.SIGCHLD:
            self._asked = True
            if self._interrupts:
                raise _Interrupted


@contextlib.contextmanager
def _inbox() -> Iterator[_Inbox]:
    """Write signals to a pipe, and restore the earlier handlers at the end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    inbox = _Inbox(reader)
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    ours = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    theirs = {number: signal.signal(number, inbox.handle) for number in ours}
    try:
        yield inbox
    finally:
        for number, handler in theirs.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(reader)
        os.close(writer)
