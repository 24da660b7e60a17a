"""One at a time: commands that start at the same moment take turns."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def locked(file: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the lock of this name; the kernel gives it back even when we are killed.

    Who does not want to wait for it gets a BlockingIOError when somebody else holds it.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
