"""Keep the processes of `pannier serve` running, and end all of them together."""

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
GOOD_LIFE = 60.0  # seconds after which earlier failures are forgotten
PATIENCE = 10.0  # seconds for a child to leave when asked to

Say = Callable[[str], None]
Keep = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Child:
    """A program that is to run all the time."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    # Whether its time has come; `keep` is called again when that may have changed.
    wanted: Callable[[], bool] = lambda: True


def delay(failures: int) -> float:
    """Give the seconds before the restart after so many failures in a row."""
    return min(SHORTEST * 2.0 ** min(failures - 1, 10), LONGEST)


def failures_in_a_row(before: int, lived: float) -> int:
    """Count one more failure, forgetting the earlier ones after a good life."""
    return 1 if lived >= GOOD_LIFE else before + 1


def in_words(code: int) -> str:
    """Say how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    number = -code
    with contextlib.suppress(ValueError):
        return f"was ended by {signal.Signals(number).name} ({signal.strsignal(number)})"
    return f"was ended by signal {number}"


def run(children: Sequence[Child], *, keep: Keep | None = None, say: Say) -> int:
    """Run the children until SIGINT or SIGTERM, and give the exit code.

    `keep` looks after what is no child, and answers after how many seconds it wants to be called
    again; a signal to stop interrupts it with an exception. Call this from the main thread:
    signals arrive nowhere else.
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
    """Restart what dies until a signal asks to stop."""
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
    """Ask the children to leave, wait, and end those that stay."""
    inbox.wait(0)  # what arrived until now is answered by stopping
    running = [(life.child.name, life.process) for life in lives if life.process]
    for _, process in running:
        process.terminate()
    deadline = time.monotonic() + PATIENCE
    while any(process.poll() is None for _, process in running):
        left = deadline - time.monotonic()
        if left <= 0 or signal.SIGINT in inbox.wait(left):  # a second Ctrl-C hurries
            break
    for name, process in running:
        if process.poll() is None:
            say(f"The process {name} did not stop in time and is killed.")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _Life:
    """What a child is doing: running, or waiting for its next start."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.due = 0.0
        self._born = 0.0
        self._failures = 0

    def tend(self, say: Say) -> None:
        """Note that the child died, or start it when its time has come."""
        if self.process and (code := self.process.poll()) is not None:
            self.process = None
            self._fail(in_words(code), say)
        if self.waits() and time.monotonic() >= self.due:
            self._start(say)

    def waits(self) -> bool:
        """Tell whether the child is to be started at a moment that is known."""
        return not self.process and self.child.wanted()

    def _start(self, say: Say) -> None:
        self._born = time.monotonic()
        try:
            self.process = subprocess.Popen(  # noqa: S603  our own commands
                lifeline.command(self.child.command, ending=signal.SIGTERM),
                env=self.child.environment,
                pass_fds=self.child.pass_fds,
                process_group=0,  # Ctrl-C reaches us alone; we decide what ends when
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
    """A signal to stop arrived before `keep` was done; of this kind a loop swallows none."""


class _Inbox:
    """The signals that reach us, to wait for them instead of looking again and again."""

    def __init__(self, reader: int) -> None:
        self._reader = reader
        self._interrupts = self._asked = False

    def wait(self, seconds: float | None) -> bytes:
        """Give the signals that arrived; at the latest after so many seconds, then none."""
        ready, _, _ = select.select([self._reader], [], [], seconds and max(seconds, 0))
        return os.read(self._reader, 4096) if ready else b""

    def interrupted_during(self, work: Keep) -> float:
        """Do work that a signal to stop may interrupt; one that came before it does so at once."""
        self._interrupts = True
        try:
            if self._asked:
                raise _Interrupted
            return work()
        finally:
            self._interrupts = False

    def handle(self, number: int, _: FrameType | None) -> None:
        """Interrupt what may be interrupted; the signal's number is in the pipe already."""
        if number != signal.SIGCHLD:
            self._asked = True
            if self._interrupts:
                raise _Interrupted


@contextlib.contextmanager
def _inbox() -> Iterator[_Inbox]:
    """Have signals written to a pipe, and put everything back in the end."""
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
