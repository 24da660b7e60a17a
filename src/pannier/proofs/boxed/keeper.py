"""The keeper of boxes: loads the decoders once, and makes a copy of itself for each job.

It never sees a byte of a picture, so all copies begin alike, and none can leave anything for the
next. It has one thread, because a copy has only the one that made it. What it is asked comes with
three descriptors: the files to read and to write, and a line on which it tells how the copy ended.
Where somebody lets go of that line, nobody waits any more, and the copy is ended; where somebody
lets go of the keeper's own, there are no more jobs, and it leaves after the last one. So nothing of
it stays behind, however the server ends.
"""

import gc
import os
import resource
import select
import signal
import socket
from collections.abc import Iterator
from contextlib import suppress
from typing import Final, NoReturn

from pannier.proofs.boxed import ENDED, program, walls

MOST_OPEN: Final = 256
FAILED: Final = 1


class Keeper:
    """Waits for jobs, for copies that end, and for those who have waited for them."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked, self._open = asked, True
        self._jobs: dict[int, tuple[socket.socket, int]] = {}
        self._bell = _bell()
        self._poll = select.poll()
        for descriptor in (asked.fileno(), self._bell):
            self._poll.register(descriptor, select.POLLIN)

    def keep(self) -> None:
        """Take jobs until there are no more, and end with the last."""
        while self._open or self._jobs:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._asked.fileno():
                    self._take()
                elif descriptor == self._bell:
                    os.read(descriptor, MOST_OPEN)
                    self._reap()
                elif descriptor in self._jobs:
                    self._give_up(descriptor)

    def _take(self) -> None:
        asked, descriptors, _, _ = socket.recv_fds(self._asked, 1, 3)
        if not asked:
            self._open = False
            self._poll.unregister(self._asked)
            return
        line, sent, told = (socket.socket(fileno=descriptors[0]), *descriptors[1:])
        parent = os.getpid()
        with suppress(OSError):  # no room for it, and so its line ends
            child = os.fork() or _do(sent, told, parent)
            self._jobs[line.fileno()] = line, child
            self._poll.register(line, 0)  # to hear of its end, and nothing else
        os.close(sent)
        os.close(told)

    def _reap(self) -> None:
        """Tell how copies ended."""
        lines = {child: descriptor for descriptor, (_, child) in self._jobs.items()}
        for child, code in _ended():
            if child in lines:
                line = self._let_go(lines[child])
                with line, suppress(OSError):  # perhaps nobody waits for it any more
                    line.send(ENDED.pack(code))

    def _give_up(self, descriptor: int) -> None:
        os.kill(self._jobs[descriptor][1], signal.SIGKILL)
        self._let_go(descriptor).close()

    def _let_go(self, descriptor: int) -> socket.socket:
        self._poll.unregister(descriptor)
        return self._jobs.pop(descriptor)[0]


def _ended() -> Iterator[tuple[int, int]]:
    """Take leave of the copies that have ended, with the code of each."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def _bell() -> int:
    """Answer a descriptor that has something to read whenever a copy has ended."""
    reading, writing = os.pipe()
    for descriptor in (reading, writing):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def _do(sent: int, told: int, parent: int) -> NoReturn:
    """Do a job, as a copy that has nothing but the two files; never returns."""
    code = FAILED
    try:
        walls.tie(parent)
        signal.set_wakeup_fd(-1)
        os.dup2(sent, 0)
        os.dup2(told, 1)
        os.closerange(3, MOST_OPEN)
        program.main()
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    """Keep boxes for whoever holds the other end of the standard input."""
    # Whoever stops the server stops its whole group; the keeper ends with its line.
    for stopping in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stopping, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_OPEN, MOST_OPEN))
    program.load()
    keeper = Keeper(socket.socket(fileno=0))
    gc.collect()
    gc.freeze()  # what all have in common is not touched, so it is not copied
    gc.disable()
    keeper.keep()
