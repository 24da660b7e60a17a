"""Supervise children given as names and Python programs, and print what is said."""

import asyncio
import os
import signal
import sys
import time

from pannier import supervisor


def keep() -> float:
    """Take far too long where a test asks for it."""
    sys.stdout.write("kept\n")
    sys.stdout.flush()
    seconds = float(os.environ.get("KEEP_SECONDS", "0"))
    if "STOPPED_IN_A_LOOP" in os.environ:
        asyncio.run(stopped_in_a_loop(seconds))
    time.sleep(seconds)
    return 1.0


async def stopped_in_a_loop(seconds: float) -> None:
    """Have the signal come while the loop calls back, and go on."""
    asyncio.get_running_loop().call_soon(stop)
    await asyncio.sleep(seconds)


def stop() -> None:
    """Ask ourselves to stop."""
    os.kill(os.getpid(), signal.SIGTERM)


def stopped_at_a_start() -> bool:
    """Have the signal come while a child is about to be started."""
    stop()
    return True


def say(sentence: str) -> None:
    """Print a sentence for the test to read."""
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


words = sys.argv[1:]
supervisor.STOP_TIMEOUT_SECONDS = float(os.environ.get("PATIENCE", supervisor.STOP_TIMEOUT_SECONDS))
children = [
    supervisor.Child(
        name=name,
        command=[sys.executable, "-c", program],
        environment=os.environ,
        pass_fds=tuple(map(int, os.environ.get("PASS_FDS", "").split())),
        should_run=stopped_at_a_start if name == "stopping" else lambda: True,
    )
    for name, program in zip(words[::2], words[1::2], strict=True)
]
sys.exit(
    supervisor.run(children, maintain=keep if "KEEP_SECONDS" in os.environ else None, report=say)
)
