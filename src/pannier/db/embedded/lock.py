"""A lock between commands that start at the same moment."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold_lock(file: Path, *, wait: bool = True) -> Iterator[None]:
    """Hold the file's lock. The kernel releases it even when the process is killed.

    Without `wait`, raise BlockingIOError when another process holds it.
    """
    handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)
