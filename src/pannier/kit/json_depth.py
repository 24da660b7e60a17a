"""Measure how deeply JSON nests before a parser recurses into it."""

import re
from collections.abc import Iterator
from typing import Final

# Small enough that splitting a piece needs little memory, whatever it contains.
PIECE_BYTES: Final = 64 * 1024
# Removing all innermost pairs is very fast. It is worthwhile while each pass removes at least this
# share of the brackets. After that, only a few long runs of brackets are left.
MIN_SHRINKAGE: Final = 1 / 16
_OTHERS: Final = bytes(set(range(256)) - set(b'{}[]"'))
_ONE_KIND: Final = bytes.maketrans(b"{}", b"[]")
_NOT_BACKSLASH: Final = re.compile(rb"[^\\]")
_RUN: Final = re.compile(rb"\[+|\]+")
_OPEN: Final = ord("[")


def is_too_deep(body: bytes, limit: int = 32) -> bool:
    """Return whether objects and arrays nest deeper than the limit, also in malformed bodies.

    It takes linear time, and returns early when many brackets open in a row.
    """
    if body.count(b"{") + body.count(b"[") <= limit:
        return False
    runs, too_deep = [], b"[" * (limit + 1)
    for brackets in _extract_brackets(body):
        if too_deep in brackets:
            return True
        runs.append(brackets)
    return _is_deeper(b"".join(runs), limit)


def _is_deeper(brackets: bytes, limit: int) -> bool:
    """Return whether brackets of one kind nest deeper than the limit.

    Closing all of them first adds no level. Then each removal of the innermost pairs removes
    exactly one level.
    """
    remaining_brackets, removed_levels = brackets + b"]" * (limit + 1), 0
    shrinks = True
    while shrinks and removed_levels < limit:
        if b"[" not in remaining_brackets:
            return False
        size = len(remaining_brackets)
        remaining_brackets, removed_levels = (
            remaining_brackets.replace(b"[]", b""),
            removed_levels + 1,
        )
        shrinks = size - len(remaining_brackets) > size * MIN_SHRINKAGE
    depth = removed_levels
    for run in _RUN.finditer(remaining_brackets):
        length = run.end() - run.start()
        if remaining_brackets[run.start()] != _OPEN:
            depth = max(removed_levels, depth - length)
        elif (depth := depth + length) > limit:
            return True
    return False


def _extract_brackets(body: bytes) -> Iterator[bytes]:
    """Yield the brackets outside of strings, converted to one kind, piece by piece.

    Escaped backslashes are removed first, then escaped quotes. Every other quote opens or closes
    a string. Pairs of quotes without a bracket between them are dropped, so few are left.
    """
    in_string = False
    for piece in _split_body(body):
        unescaped_piece = (
            piece.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in piece else piece
        )
        parts = unescaped_piece.translate(_ONE_KIND, _OTHERS).replace(b'""', b"").split(b'"')
        yield b"".join(parts[in_string::2])
        in_string ^= len(parts) % 2 == 0


def _split_body(body: bytes) -> Iterator[bytes]:
    """Split a body into pieces, but never within an escape sequence."""
    start = 0
    while start < len(body):
        end = start + PIECE_BYTES
        if body[end - 1 : end] == b"\\":
            match = _NOT_BACKSLASH.search(body, end)
            end = match.end() if match else len(body)
        yield body[start:end]
        start = end
