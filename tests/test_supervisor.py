import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import pytest

from pannier.supervisor import count_failures, describe_exit, restart_delay

# Takes seconds, and what it watches changes seldom.
pytestmark = pytest.mark.slow

SUPERVISED = Path(__file__).with_name("supervised.py")
# One write each: the children share the pipe, and a print may come in pieces.
HELLO = "import os, signal, time; os.write(1, b'hello %d\\n' % os.getpid());"
GOOD = HELLO + "time.sleep(600)"
ASKED = "lambda *_: os.write(1, b'asked\\n')"
STUBBORN = f"import os, signal; signal.signal(signal.SIGTERM, {ASKED});" + GOOD
Supervise = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def supervise() -> Iterator[Supervise]:
    """Start a supervisor of named Python programs, and end it with all of its children."""
    with ExitStack() as stack:

        def start(
            *words: str, pass_fds: tuple[int, ...] = (), **more: str
        ) -> subprocess.Popen[str]:
            process = subprocess.Popen(
                [sys.executable, SUPERVISED, *words],
                env={**os.environ, **more},
                stdout=subprocess.PIPE,
                text=True,
                pass_fds=pass_fds,
            )
            stack.enter_context(process)
            stack.callback(process.kill)
            return process

        yield start


def line(process: subprocess.Popen[str], pattern: str) -> re.Match[str]:
    """Read on until a line matches."""
    assert process.stdout
    for text in process.stdout:
        if found := re.search(pattern, text):
            return found
    raise AssertionError(f"No line matched {pattern}.")


def hello(process: subprocess.Popen[str]) -> int:
    """Wait for a child to start, and give its number."""
    return int(line(process, r"hello (\d+)")[1])


def rest(process: subprocess.Popen[str]) -> str:
    """Read to the end, which comes when nobody is left that could write."""
    assert process.stdout
    return process.stdout.read()


def runs(number: int) -> bool:
    with suppress(ProcessLookupError):
        os.kill(number, 0)
        return True
    return False


def test_the_pause_before_a_restart_doubles_up_to_half_a_minute() -> None:
    assert [restart_delay(failures) for failures in range(1, 9)] == [0.5, 1, 2, 4, 8, 16, 30, 30]
    assert restart_delay(10_000) == 30


def test_failures_are_forgotten_after_a_minute_of_good_life() -> None:
    assert count_failures(4, seconds_alive=59.9) == 5
    assert count_failures(4, seconds_alive=60) == 1


def test_an_end_is_said_in_words() -> None:
    assert describe_exit(3) == "ended with exit code 3"
    assert describe_exit(-signal.SIGKILL) == "was ended by SIGKILL (Killed)"
    assert describe_exit(-250) == "was ended by signal 250"


def test_a_child_that_is_killed_is_started_again_and_said_so(supervise: Supervise) -> None:
    process = supervise("worker", GOOD)
    first = hello(process)
    os.kill(first, signal.SIGKILL)
    line(
        process, r"^The process worker was ended by SIGKILL \(Killed\); .* again in 0\.5 seconds\.$"
    )
    assert hello(process) != first


def test_a_child_that_keeps_failing_is_started_less_and_less_often(supervise: Supervise) -> None:
    process = supervise("worker", "raise SystemExit(3)", "api", GOOD)
    for seconds in ("0.5", "1", "2"):
        line(process, rf"worker ended with exit code 3; it starts again in {seconds} seconds\.$")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_stops_every_child_and_the_exit_code_is_zero(
    supervise: Supervise, number: signal.Signals
) -> None:
    process = supervise("api", GOOD, "api", GOOD)
    children = [hello(process), hello(process)]
    process.send_signal(number)
    assert rest(process) == "Stopping.\n"
    assert process.wait() == 0
    assert not any(map(runs, children))


def test_a_child_lets_go_of_ctrl_c_so_that_the_supervisor_decides(supervise: Supervise) -> None:
    process = supervise("api", GOOD)
    child = hello(process)
    assert os.getpgid(child) == child


def test_a_second_ctrl_c_hurries(supervise: Supervise) -> None:
    process = supervise("api", STUBBORN, PATIENCE="600")
    child = hello(process)
    process.send_signal(signal.SIGINT)
    line(process, r"^Stopping\.$")
    line(process, r"^asked$")  # so the first signal is answered, and a second one counts
    process.send_signal(signal.SIGINT)
    assert process.wait() == 0
    assert rest(process) == "The process api did not stop in time and was killed.\n"
    assert not runs(child)


@pytest.mark.slow
def test_a_stubborn_child_is_killed_when_patience_ends(supervise: Supervise) -> None:
    process = supervise("api", STUBBORN, PATIENCE="1")
    child = hello(process)
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert process.wait() == 0
    assert time.monotonic() - began > 0.9
    assert not runs(child)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ties a child to its parent")
def test_nothing_survives_a_kill_of_the_supervisor(supervise: Supervise) -> None:
    process = supervise("api", GOOD, "worker", GOOD)
    hello(process)
    hello(process)
    process.kill()
    assert rest(process) == ""


@pytest.mark.slow
def test_keep_is_called_again_and_again(supervise: Supervise) -> None:
    process = supervise("api", GOOD, KEEP_SECONDS="0")
    line(process, "kept")
    began = time.monotonic()
    line(process, "kept")
    line(process, "kept")
    assert 1.5 < time.monotonic() - began < 10


def test_a_keep_that_takes_long_does_not_hold_up_stopping(supervise: Supervise) -> None:
    process = supervise("api", GOOD, KEEP_SECONDS="600")
    line(process, "kept")
    began = time.monotonic()
    process.send_signal(signal.SIGTERM)
    assert rest(process).endswith("Stopping.\n")
    assert process.wait() == 0
    assert time.monotonic() - began < 8


def test_a_keep_is_not_begun_when_the_signal_came_while_children_were_started(
    supervise: Supervise,
) -> None:
    process = supervise("stopping", GOOD, KEEP_SECONDS="600")
    said = rest(process)
    assert "kept" not in said
    assert said.endswith("Stopping.\n")
    assert process.wait() == 0


def test_a_keep_that_runs_a_loop_is_interrupted_wherever_the_loop_is(
    supervise: Supervise,
) -> None:
    process = supervise("api", GOOD, KEEP_SECONDS="600", STOPPED_IN_A_LOOP="1")
    assert rest(process).endswith("Stopping.\n")
    assert process.wait() == 0


def test_a_child_inherits_the_sockets_it_is_given(supervise: Supervise) -> None:
    reader, writer = os.pipe()
    try:
        program = f"import os, time; os.write({writer}, b'here'); time.sleep(600)"
        supervise("api", program, pass_fds=(writer,), PASS_FDS=str(writer))
        assert os.read(reader, 4) == b"here"
    finally:
        os.close(reader)
        os.close(writer)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has /proc")
@pytest.mark.slow
def test_a_quiet_supervisor_uses_no_processor_time(supervise: Supervise) -> None:
    process = supervise("api", GOOD, KEEP_SECONDS="0")
    hello(process)

    def ticks() -> int:
        words = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return int(words[11]) + int(words[12])

    before = ticks()
    line(process, "kept")
    line(process, "kept")
    assert ticks() - before <= 0.1 * os.sysconf("SC_CLK_TCK")
