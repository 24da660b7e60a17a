"""Measure how deeply JSON nests before a parser recurses into it."""

import re
from collections.abc import Iterator
from typing import Final

# Small enough that taking one apart needs little memory, whatever is in it.
PIECE_BYTES: Final = 64 * 1024
# Removing all innermost pairs runs at the speed of memory. It pays for as long as it takes so much
# of the rest away; after that few runs of brackets are left, and each of them is long.
WORTHWHILE: Final = 1 / 16
_OTHERS: Final = bytes(set(range(256)) - set(b'{}[]"'))
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_NOT_BACKSLASH: Final = re.compile(rb"[^\\]")
_RUN: Final = re.compile(rb"\[+|\]+")
_OPEN: Final = ord("[")


def too_deep(body: bytes, limit: int = 32) -> bool:
    """Whether objects and arrays nest deeper than the limit, malformed bodies included.

    The time is linear in the body, and the answer comes early when many brackets open at once.
    """
    if body.count(b"{") + body.count(b"[") <= limit:
        return False
    found, hopeless = [], b"[" * (limit + 1)
    for brackets in _brackets(body):
        if hopeless in brackets:
            return True
        found.append(brackets)
    return _nests_deeper(b"".join(found), limit)


def _nests_deeper(brackets: bytes, limit: int) -> bool:
    """Whether brackets of one kind nest deeper than the limit.

    All are closed first, which adds no level: then removing the innermost pairs takes
    exactly one level away.
    """
    rest, base = brackets + b"]" * (limit + 1), 0
    shrinks = True
    while shrinks and base < limit:
        if b"[" not in rest:
            return False
        size = len(rest)
        rest, base = rest.replace(b"[]", b""), base + 1
        shrinks = size - len(rest) > size * WORTHWHILE
    depth = base
    for run in _RUN.finditer(rest):
        length = run.end() - run.start()
        if rest[run.start()] != _OPEN:
            depth = max(base, depth - length)
        elif (depth := depth + length) > limit:
            return True
    return False


def _brackets(body: bytes) -> Iterator[bytes]:
    """Yield the brackets outside of strings, all of one kind, piece by piece.

    Escaped backslashes go first, then escaped quotes; every other quote opens or closes a string.
    Pairs of quotes with no bracket between them are dropped, which leaves hardly any.
    """
    in_string = False
    for piece in _pieces(body):
        bare = piece.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in piece else piece
        parts = bare.translate(_ONE_KIND, _OTHERS).replace(b'""', b"").split(b'"')
        yield b"".join(parts[in_string::2])
        in_string ^= len(parts) % 2 == 0


def _pieces(body: bytes) -> Iterator[bytes]:
    """Cut a body where no escape is cut in two."""
    start = 0
    while start < len(body):
        end = start + PIECE_BYTES
        if body[end - 1 : end] == b"\\":
            other = _NOT_BACKSLASH.search(body, end)
            end = other.end() if other else len(body)
        yield body[start:end]
        start = end
