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

from pannier.proofs.sandboxed import EXIT_CODE, program, seccomp

MAX_OPEN_FILES: Final = 256
EXIT_FAILURE: Final = 1


class ForkServer:
    """A server that waits for requests, exits of forks, and callers that give up."""

    def __init__(self, requests: socket.socket) -> None:
        self._requests, self._is_open = requests, True
        self._jobs: dict[int, tuple[socket.socket, int]] = {}
        self._child_exits = _open_child_exit_pipe()
        self._poll = select.poll()
        for descriptor in (requests.fileno(), self._child_exits):
            self._poll.register(descriptor, select.POLLIN)

    def serve(self) -> None:
        """Start jobs until the owner closes the socket and the last job has ended."""
        while self._is_open or self._jobs:
            for descriptor, _ in self._poll.poll():
                if descriptor == self._requests.fileno():
                    self._start_job()
                elif descriptor == self._child_exits:
                    os.read(descriptor, MAX_OPEN_FILES)
                    self._report_exits()
                elif descriptor in self._jobs:
                    self._kill_job(descriptor)

    def _start_job(self) -> None:
        message, descriptors, _, _ = socket.recv_fds(self._requests, 1, 3)
        if not message:
            self._is_open = False
            self._poll.unregister(self._requests)
            return
        caller, job_input, output = (socket.socket(fileno=descriptors[0]), *descriptors[1:])
        parent = os.getpid()
        with suppress(OSError):  # no memory: the closed socket tells the caller
            child = os.fork() or _run_job(job_input, output, parent)
            self._jobs[caller.fileno()] = caller, child
            self._poll.register(caller, 0)  # only POLLHUP
        os.close(job_input)
        os.close(output)

    def _report_exits(self) -> None:
        """Report the exit codes of forks to their callers."""
        descriptors = {child: descriptor for descriptor, (_, child) in self._jobs.items()}
        for child, code in _reap_children():
            if child in descriptors:
                caller = self._forget_job(descriptors[child])
                with caller, suppress(OSError):  # the caller may have given up
                    caller.send(EXIT_CODE.pack(code))

    def _kill_job(self, descriptor: int) -> None:
        os.kill(self._jobs[descriptor][1], signal.SIGKILL)
        self._forget_job(descriptor).close()

    def _forget_job(self, descriptor: int) -> socket.socket:
        self._poll.unregister(descriptor)
        return self._jobs.pop(descriptor)[0]


def _reap_children() -> Iterator[tuple[int, int]]:
    """Reap exited forks and yield their exit codes."""
    with suppress(ChildProcessError):
        while (status := os.waitpid(-1, os.WNOHANG))[0]:
            yield status[0], os.waitstatus_to_exitcode(status[1])


def _open_child_exit_pipe() -> int:
    """Return a descriptor that becomes readable whenever a fork exits."""
    read_end, write_end = os.pipe()
    for descriptor in (read_end, write_end):
        os.set_blocking(descriptor, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    return read_end


def _run_job(input_fd: int, output_fd: int, parent: int) -> NoReturn:
    """Run a job in the fork, with access to the two files only."""
    code = EXIT_FAILURE
    try:
        seccomp.die_with_parent(parent)
        signal.set_wakeup_fd(-1)
        os.dup2(input_fd, 0)
        os.dup2(output_fd, 1)
        os.closerange(3, MAX_OPEN_FILES)
        program.main()
        code = 0
    finally:
        os._exit(code)


def main() -> None:
    """Serve the process at the other end of standard input."""
    # Only the socket's end stops the server, not a signal to its process group.
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_NOFILE, (MAX_OPEN_FILES, MAX_OPEN_FILES))
    program.preload_modules()
    server = ForkServer(socket.socket(fileno=0))
    gc.collect()
    gc.freeze()  # keeps the pages shared between forks
    gc.disable()
    server.serve()
