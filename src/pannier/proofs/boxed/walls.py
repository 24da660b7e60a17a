"""The sandbox's system call filter.

A limit on open files keeps a decoder from files and sockets, but not from other processes, nor from
raising the limit where the server runs as root. On Linux, a seccomp filter allows a decoder only
memory management, reading and writing open files, and exit. On other systems and architectures only
the resource limits apply.
"""

import ctypes
import os
import platform
import signal
import struct
import sys
from collections.abc import Iterable
from typing import Final

_PDEATHSIG, _SECCOMP, _NO_NEW_PRIVILEGES, _FILTER = 1, 22, 38, 2
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF opcodes
_NUMBER, _MACHINE = 0, 4  # offsets in seccomp_data
_ALLOW, _REFUSE = 0x7FFF0000, 0x00050001  # the latter with EPERM
# Each architecture's audit number and its allowed system calls: read, write, lseek, fstat,
# newfstatat, close, ioctl, mmap, munmap, mremap, mprotect, madvise, brk, futex, getrandom,
# sched_yield, sched_getaffinity, sysinfo, getpid, gettid, clock_gettime, rt_sigaction,
# rt_sigprocmask, rt_sigreturn, restart_syscall, exit, exit_group; and getcwd, with which Pillow
# checks whether an in-memory picture has a file name.
_ALLOWED: Final = {
    "x86_64": (0xC000003E, (
        0, 1, 8, 5, 262, 3, 16, 9, 11, 25, 10, 28, 12, 202, 318,
        24, 204, 99, 39, 186, 228, 13, 14, 15, 219, 60, 231, 79,
    )),
    "aarch64": (0xC00000B7, (
        63, 64, 62, 80, 79, 57, 29, 222, 215, 216, 226, 233, 214, 98, 278,
        124, 123, 179, 172, 178, 113, 134, 135, 139, 128, 93, 94, 17,
    )),
}  # fmt: skip


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_so, if_not, value)


def _filter(machine: int, allowed: Iterable[int]) -> bytes:
    """Assemble the BPF program; it refuses other architectures' calls like unknown ones."""
    numbers = list(allowed)
    allow = len(numbers)  # jump distance from the first comparison to the end
    return b"".join(
        (
            _instruction(_LOAD, _MACHINE),
            _instruction(_EQUAL, machine, 0, allow + 1),
            _instruction(_LOAD, _NUMBER),
            *(_instruction(_EQUAL, one, allow - at) for at, one in enumerate(numbers)),
            _instruction(_RETURN, _REFUSE),
            _instruction(_RETURN, _ALLOW),
        )
    )


_known: Final = _ALLOWED.get(platform.machine()) if sys.platform == "linux" else None
_code: Final = None if _known is None else _filter(*_known)
_libc: Final = ctypes.CDLL(None)


def tie(parent: int) -> None:
    """Have the kernel kill this process when its parent dies."""
    if sys.platform == "linux":
        _libc.prctl(_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def build() -> None:
    """Refuse all other system calls, irrevocably."""
    if _code is not None:
        program = _Program(len(_code) // 8, _code)
        _libc.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0)
        _libc.prctl(_SECCOMP, _FILTER, ctypes.byref(program), 0, 0)
