"""The supervisor of `pannier serve`. It restarts processes, and stops them together."""

import contextlib
import os
import select
import signal
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import FrameType

from pannier import child_process
from pannier.errors import SetupError

MIN_RESTART_SECONDS, MAX_RESTART_SECONDS = 0.5, 30.0  # seconds before a restart
STABLE_SECONDS = 60.0  # after a run of this length, earlier failures no longer count
STOP_TIMEOUT_SECONDS = 10.0  # seconds in which a process ends after SIGTERM

Reporter = Callable[[str], None]
Maintenance = Callable[[], float]


@dataclass(frozen=True, slots=True)
class Child:
    """A program that should run all the time."""

    name: str
    command: Sequence[str] | Callable[[], Sequence[str]]
    environment: Mapping[str, str]
    pass_fds: tuple[int, ...] = ()
    # Whether the program may run yet.
    should_run: Callable[[], bool] = lambda: True
    # Identifies the files that the program reads at its start. A change restarts the program.
    find_version: Callable[[], object] = lambda: None
    # Sent when the supervisor dies. SIGKILL also ends a program that is stopped or ignores signals.
    parent_death_signal: signal.Signals = signal.SIGTERM


def restart_delay(failures: int) -> float:
    """Return the seconds before a restart, after the given number of failures in a row."""
    return min(MIN_RESTART_SECONDS * 2.0 ** min(failures - 1, 10), MAX_RESTART_SECONDS)


def count_failures(previous_failures: int, seconds_alive: float) -> int:
    """Count one more failure. Ignore earlier ones if the process ran for `STABLE_SECONDS`."""
    return 1 if seconds_alive >= STABLE_SECONDS else previous_failures + 1


def describe_exit(code: int) -> str:
    """Describe how a process ended."""
    if code >= 0:
        return f"ended with exit code {code}"
    signal_number = -code
    with contextlib.suppress(ValueError):
        return (
            f"was ended by {signal.Signals(signal_number).name} ({signal.strsignal(signal_number)})"
        )
    return f"was ended by signal {signal_number}"


def run(children: Sequence[Child], *, maintain: Maintenance | None = None, report: Reporter) -> int:
    """Run the children until SIGINT or SIGTERM and return the exit code.

    `maintain` looks after everything that is not a child. It returns the seconds until its next
    call. A signal to stop interrupts it with an exception. Call this function from the
    main thread, because signals arrive nowhere else.
    """
    processes = [_ChildProcess(child) for child in children]
    with _receive_signals() as inbox:
        try:
            with contextlib.suppress(_Interrupted):
                _supervise_processes(processes, inbox, maintain, report)
            report("Stopping.")
        finally:
            _stop_processes(processes, inbox, report)
    return 0


def _supervise_processes(
    processes: Sequence["_ChildProcess"],
    signals: "_SignalReceiver",
    maintain: Maintenance | None,
    report: Reporter,
) -> None:
    """Restart processes that end, until a signal to stop arrives."""
    maintain_at = time.monotonic()
    while True:
        for process in processes:
            process.restart_if_needed(report)
        if maintain and time.monotonic() >= maintain_at:
            maintain_at = signals.run_interruptibly(maintain) + time.monotonic()
        wake_times = [process.start_at for process in processes if process.is_waiting()] + (
            [maintain_at] if maintain else []
        )
        received_signals = signals.wait(min(wake_times) - time.monotonic() if wake_times else None)
        if signal.SIGINT in received_signals or signal.SIGTERM in received_signals:
            return


def _stop_processes(
    processes: Sequence["_ChildProcess"], signals: "_SignalReceiver", report: Reporter
) -> None:
    """Send SIGTERM to all processes, and SIGKILL to those that do not exit in time."""
    signals.wait(0)  # discards the signals that caused the stop
    running_children = [(child.child.name, child.process) for child in processes if child.process]
    for _, process in running_children:
        process.terminate()
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    while any(process.poll() is None for _, process in running_children):
        remaining_seconds = deadline - time.monotonic()
        # A second Ctrl-C kills at once.
        if remaining_seconds <= 0 or signal.SIGINT in signals.wait(remaining_seconds):
            break
    for name, process in running_children:
        if process.poll() is None:
            report(f"The process {name} did not stop in time and was killed.")
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


class _ChildProcess:
    """A child's process, running or waiting for its next start."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.process: subprocess.Popen[bytes] | None = None
        self.start_at = 0.0
        self._started_at = 0.0
        self._failures = 0
        self._version: object = None

    def restart_if_needed(self, report: Reporter) -> None:
        """Schedule a restart if the process has ended, and start it when it is due."""
        if self.process and (code := self.process.poll()) is not None:
            self.process = None
            self._schedule_restart(describe_exit(code), report)
        if self.process and self.child.find_version() != self._version:
            self._end_outdated_process(self.process, report)
        if self.is_waiting() and time.monotonic() >= self.start_at:
            self._start_process(report)

    def is_waiting(self) -> bool:
        """Return whether the child is scheduled to start."""
        return not self.process and self.child.should_run()

    def _end_outdated_process(self, process: "subprocess.Popen[bytes]", report: Reporter) -> None:
        """End a process whose input files were replaced. It starts again at once."""
        report(f"The process {self.child.name} is restarted with new data.")
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        self.process, self._failures, self.start_at = None, 0, 0.0

    def _start_process(self, report: Reporter) -> None:
        self._started_at = time.monotonic()
        self._version = self.child.find_version()
        command = self.child.command
        try:
            self.process = subprocess.Popen(  # noqa: S603  our own commands
                child_process.build_command(
                    command if isinstance(command, Sequence) else command(),
                    parent_death_signal=self.child.parent_death_signal,
                ),
                env=self.child.environment,
                pass_fds=self.child.pass_fds,
                process_group=0,  # Ctrl-C reaches only the supervisor, which stops all in order
            )
        except OSError as error:
            self._schedule_restart(f"could not be started ({error.strerror})", report)
        except SetupError as error:
            self._schedule_restart(f"could not be started ({error})", report)

    def _schedule_restart(self, description: str, report: Reporter) -> None:
        now = time.monotonic()
        self._failures = count_failures(self._failures, now - self._started_at)
        pause = restart_delay(self._failures)
        self.start_at = now + pause
        report(
            f"The process {self.child.name} {description}; it starts again in {pause:g} seconds."
        )


class _Interrupted(KeyboardInterrupt):
    """A signal to stop arrived during maintenance.

    It is a KeyboardInterrupt, so that no `except Exception` swallows it.
    """


class _SignalReceiver:
    """The signals of this process, read from a pipe instead of by polling."""

    def __init__(self, reader: int) -> None:
        self._reader = reader
        self._is_interruptible = self._stop_requested = False

    def wait(self, seconds: float | None) -> bytes:
        """Wait for signals, for at most the given seconds, and return their numbers."""
        ready, _, _ = select.select([self._reader], [], [], seconds and max(seconds, 0))
        return os.read(self._reader, 4096) if ready else b""

    def run_interruptibly(self, work: Maintenance) -> float:
        """Do work that a signal to stop interrupts, even one that arrived earlier."""
        self._is_interruptible = True
        try:
            if self._stop_requested:
                raise _Interrupted
            return work()
        finally:
            self._is_interruptible = False

    def handle(self, number: int, _: FrameType | None) -> None:
        """Interrupt interruptible work. The signal's number is already in the pipe."""
        if number != signal.SIGCHLD:
            self._stop_requested = True
            if self._is_interruptible:
                raise _Interrupted


@contextlib.contextmanager
def _receive_signals() -> Iterator[_SignalReceiver]:
    """Write signals to a pipe, and restore the earlier handlers at the end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    os.set_blocking(writer, False)
    inbox = _SignalReceiver(reader)
    wakeup = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    signals = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
    previous_handlers = {number: signal.signal(number, inbox.handle) for number in signals}
    try:
        yield inbox
    finally:
        for number, handler in previous_handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(wakeup)
        os.close(reader)
        os.close(writer)
