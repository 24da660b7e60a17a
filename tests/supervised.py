"""Supervise children given as names and Python programs, and print what is said."""

import os
import sys
import time

from pannier import supervisor


def keep() -> float:
    """Take far too long where a test asks for it."""
    sys.stdout.write("kept\n")
    sys.stdout.flush()
    time.sleep(float(os.environ.get("KEEP_SECONDS", "0")))
    return 1.0


def say(sentence: str) -> None:
    """Print a sentence for the test to read."""
    sys.stdout.write(sentence + "\n")
    sys.stdout.flush()


words = sys.argv[1:]
supervisor.PATIENCE = float(os.environ.get("PATIENCE", supervisor.PATIENCE))
children = [
    supervisor.Child(
        name=name,
        command=[sys.executable, "-c", program],
        environment=os.environ,
        pass_fds=tuple(map(int, os.environ.get("PASS_FDS", "").split())),
    )
    for name, program in zip(words[::2], words[1::2], strict=True)
]
sys.exit(supervisor.run(children, keep=keep if "KEEP_SECONDS" in os.environ else None, say=say))
