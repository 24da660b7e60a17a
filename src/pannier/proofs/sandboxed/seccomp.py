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

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 1, 22, 38, 2
_BPF_LOAD, _BPF_JUMP_IF_EQUAL, _BPF_RETURN = 0x20, 0x15, 0x06  # BPF opcodes
_SYSCALL_OFFSET, _ARCHITECTURE_OFFSET = 0, 4  # offsets in seccomp_data
_RETURN_ALLOW, _RETURN_EPERM = 0x7FFF0000, 0x00050001  # the latter with EPERM
# Each architecture's audit number and its allowed system calls: read, write, lseek, fstat,
# newfstatat, close, ioctl, mmap, munmap, mremap, mprotect, madvise, brk, futex, getrandom,
# sched_yield, sched_getaffinity, sysinfo, getpid, gettid, clock_gettime, rt_sigaction,
# rt_sigprocmask, rt_sigreturn, restart_syscall, exit, exit_group; and getcwd, with which Pillow
# checks whether an in-memory picture has a file name.
_ALLOWED_SYSCALLS: Final = {
    "x86_64": (0xC000003E, (
        0, 1, 8, 5, 262, 3, 16, 9, 11, 25, 10, 28, 12, 202, 318,
        24, 204, 99, 39, 186, 228, 13, 14, 15, 219, 60, 231, 79,
    )),
    "aarch64": (0xC00000B7, (
        63, 64, 62, 80, 79, 57, 29, 222, 215, 216, 226, 233, 214, 98, 278,
        124, 123, 179, 172, 178, 113, 134, 135, 139, 128, 93, 94, 17,
    )),
}  # fmt: skip


class _FilterProgram(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


def _pack_instruction(code: int, value: int, if_so: int = 0, if_not: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_so, if_not, value)


def _compile_filter(machine: int, allowed_calls: Iterable[int]) -> bytes:
    """Assemble the BPF program. It also refuses calls of other architectures."""
    calls = list(allowed_calls)
    allow = len(calls)  # jump distance from the first comparison to the end
    return b"".join(
        (
            _pack_instruction(_BPF_LOAD, _ARCHITECTURE_OFFSET),
            _pack_instruction(_BPF_JUMP_IF_EQUAL, machine, 0, allow + 1),
            _pack_instruction(_BPF_LOAD, _SYSCALL_OFFSET),
            *(
                _pack_instruction(_BPF_JUMP_IF_EQUAL, call, allow - index)
                for index, call in enumerate(calls)
            ),
            _pack_instruction(_BPF_RETURN, _RETURN_EPERM),
            _pack_instruction(_BPF_RETURN, _RETURN_ALLOW),
        )
    )


_machine_syscalls: Final = (
    _ALLOWED_SYSCALLS.get(platform.machine()) if sys.platform == "linux" else None
)
_filter_code: Final = None if _machine_syscalls is None else _compile_filter(*_machine_syscalls)
_libc: Final = ctypes.CDLL(None)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process when its parent dies."""
    if sys.platform == "linux":
        _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def install_filter() -> None:
    """Install the filter, which refuses all other system calls irrevocably."""
    if _filter_code is not None:
        program = _FilterProgram(len(_filter_code) // 8, _filter_code)
        _libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(program), 0, 0)
