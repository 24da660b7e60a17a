import json
import tracemalloc
from time import process_time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.kit.json_depth import PIECE_BYTES, is_too_deep

MEBIBYTES = 8 * 1024 * 1024
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab"\\{}[]\n é'),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text('x"\\{['), inner),
    max_leaves=30,
)
FRAGMENTS = st.lists(st.sampled_from([*'{}[]"\\', '\\"', "[[[", "]]]", "é", "a"]), max_size=60)


def naive(body: bytes, limit: int) -> bool:
    """The definition, one byte at a time."""
    depth, in_string, position = 0, False, 0
    while position < len(body):
        byte = body[position : position + 1]
        if byte == b"\\" and body[position + 1 : position + 2] in {b"\\", b'"'}:
            position += 1
        elif byte == b'"':
            in_string = not in_string
        elif not in_string and byte in b"[{":
            depth += 1
            if depth > limit:
                return True
        elif not in_string and byte in b"]}":
            depth = max(0, depth - 1)
        position += 1
    return False


def levels(value: Any) -> int:
    if isinstance(value, dict):
        return 1 + max(map(levels, value.values()), default=0)
    if isinstance(value, list):
        return 1 + max(map(levels, value), default=0)
    return 0


@pytest.mark.slow
@given(ANYTHING, st.booleans())
def test_a_body_is_too_deep_exactly_beyond_its_own_depth(value: Any, ascii_only: bool) -> None:  # noqa: FBT001 - drawn by hypothesis
    body = json.dumps(value, ensure_ascii=ascii_only).encode()
    depth = levels(value)

    assert not is_too_deep(body, depth)
    assert depth == 0 or is_too_deep(body, depth - 1)


@given(FRAGMENTS, st.integers(0, 6))
def test_a_malformed_body_is_judged_like_the_definition(parts: list[str], limit: int) -> None:
    body = "".join(parts).encode()

    assert is_too_deep(body, limit) == naive(body, limit)


@given(st.binary(max_size=200), st.integers(0, 3))
def test_no_bytes_raise(body: bytes, limit: int) -> None:
    assert is_too_deep(body, limit) == naive(body, limit)


def test_thirty_two_levels_are_allowed_and_thirty_three_are_not() -> None:
    assert not is_too_deep(b"[" * 32 + b"]" * 32)
    assert is_too_deep(b"[" * 33 + b"]" * 33)


def test_brackets_inside_strings_do_not_nest() -> None:
    assert not is_too_deep(b'{"note": "' + b"[{" * 100 + b'"}')
    assert not is_too_deep(rb'{"note": "\"' + b"[{" * 100 + b'"}')
    assert is_too_deep(rb'{"note": "\\"' + b"[{" * 100 + b"}")


@given(st.integers(0, 8), FRAGMENTS, st.integers(0, 6))
def test_a_body_is_judged_alike_wherever_it_is_cut(
    before: int, parts: list[str], limit: int
) -> None:
    body = b" " * (PIECE_BYTES - before) + "".join(parts).encode()

    assert is_too_deep(body, limit) == naive(body[PIECE_BYTES - before :], limit)


@pytest.mark.slow
@pytest.mark.parametrize(
    "body",
    [
        b"[" * MEBIBYTES,
        b'{"a":' * (MEBIBYTES // 5),
        b'["[",' * (MEBIBYTES // 5),
        b'"[' * (MEBIBYTES // 2),
        (b"[" * 32 + b"]" * 32) * (MEBIBYTES // 64),
        b"[]" * (MEBIBYTES // 2) + b"[",
        b"]" * (MEBIBYTES // 2) + b"[" * (MEBIBYTES // 2),
        b'"' + b"\\" * MEBIBYTES + b"[" * 33,
        b'"' + b'\\"' * (MEBIBYTES // 2) + b"[" * 33,
        b'"\\' * (MEBIBYTES // 2) + b"[" * 33,
    ],
    ids=[
        "open",
        "objects",
        "strings",
        "quotes",
        "blocks",
        "pairs",
        "closing",
        "backslashes",
        "escaped quotes",
        "quote backslash",
    ],
)
def test_eight_megabytes_take_no_longer_than_reading_them_a_few_times(body: bytes) -> None:
    started = process_time()
    for _ in range(20):
        sum(body.count(sign) for sign in (b'"', b"[", b"]", b"{", b"}"))
    reading = process_time() - started
    started = process_time()
    is_too_deep(body)
    assert process_time() - started < reading


def test_little_memory_is_taken_whatever_is_in_a_body() -> None:
    body = b'["[",' * (MEBIBYTES // 5)
    tracemalloc.start()
    is_too_deep(body)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2 * len(body)
