"""The fork server: loads the decoders once and forks for each job.

It never reads a byte of a picture, so all forks start alike and none can affect the next. It has
one thread, because a fork keeps only the thread that made it. A request carries three descriptors:
the input file, the output file, and a socket on which the server reports the fork's exit code. When
the caller closes that socket, the server kills the fork. When the owner closes the server's own
socket, the server exits after its last job. So no process is left, however the API server ends.
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
    """Waits for requests, for exits of forks, and for callers that give up."""

    def __init__(self, asked: socket.socket) -> None:
        self._asked, self._open = asked, True
        self._jobs: dict[int, tuple[socket.socket, int]] = {}
        self._bell = _bell()
        self._poll = select.poll()
        for descriptor in (asked.fileno(), self._bell):
            self._poll.register(descriptor, select.POLLIN)

    def keep(self) -> None:
        """Start jobs until the owner closes the socket and the last job has ended."""
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
        with suppress(OSError):  # no memory: the closed socket tells the caller
            child = os.fork() or _do(sent, told, parent)
            self._jobs[line.fileno()] = line, child
            self._poll.register(line, 0)  # only POLLHUP
        os.close(sent)
        os.close(told)

    def _reap(self) -> None:
        """Report the exit codes of forks to their callers."""
        lines = {child: descriptor for descriptor, (_, child) in self._jobs.items()}
        for child, code in _ended():
            if child in lines:
                line = self._let_go(lines[child])
                with line, suppress(OSError):  # the caller may have given up
                    line.send(ENDED.pack(code))

    def _give_up(self, descriptor: int) -> None:
        os.kill(self._jobs[descriptor][1], signal.SIGKILL)
        self._let_go(descriptor).close()

    def _let_go(self, descriptor: int) -> socket.socket:
        self._poll.unregister(descriptor)
        return self._jobs.pop(descriptor)[0]


def _ended() -> Iterator[tuple[int, int]]:
    """Reap exited forks and yield their exit codes."""
    with suppress(ChildProcessError):
        while (ended := os.waitpid(-1, os.WNOHANG))[0]:
            yield ended[0], os.waitstatus_to_exitcode(ended[1])


def _bell() -> int:
    """Return a descriptor that becomes readable whenever a fork exits."""
    reading, writing = os.pipe()
    for descriptor in (reading, writing):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return reading


def _do(sent: int, told: int, parent: int) -> NoReturn:
    """Run a job in the fork, with access to the two files only."""
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
    """Serve the process at the other end of standard input."""
    # A signal to the server's process group must not stop us; the socket's end does.
    for stopping in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stopping, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_OPEN, MOST_OPEN))
    program.load()
    keeper = Keeper(socket.socket(fileno=0))
    gc.collect()
    gc.freeze()  # keeps the pages shared between forks
    gc.disable()
    keeper.keep()
