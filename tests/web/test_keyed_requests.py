"""Two requests with one key are the same if their bodies mean the same."""

import json
import random
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.web.keyed_requests import remove_boundary, to_canonical_json

pytestmark = pytest.mark.properties

NUMBERS = st.one_of(
    st.integers(-(10**40) + 1, 10**40 - 1).map(Decimal),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda each: Decimal(repr(each))),
    st.builds(lambda digits, power: Decimal(digits).scaleb(power),
              st.integers(-(10**25), 10**25), st.integers(-500, 500)),
)  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(max_size=5),
    lambda each: (
        st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=3), each, max_size=3)
    ),
    max_leaves=8,
)


def spell(value: Any, dice: random.Random) -> str:
    """Write a value as JSON, with any order, spaces, escapes and notation of numbers."""
    space = dice.choice(["", " ", "\n\t"])
    if isinstance(value, Decimal):
        return spell_number(value, dice)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=dice.random() < 0.5)
    if isinstance(value, list):
        return f"[{f'{space},'.join(space + spell(each, dice) for each in value)}]"
    if isinstance(value, dict):
        pairs = list(value.items())
        dice.shuffle(pairs)
        spelled = (f"{spell(key, dice)}{space}:{spell(each, dice)}" for key, each in pairs)
        return "{" + ",".join(spelled) + "}"
    return json.dumps(value)


def spell_number(number: Decimal, dice: random.Random) -> str:
    """Write a number in one of its notations. An integer of 40 digits has others too."""
    sign, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0") or "0"
    zeros = dice.randrange(3)
    text, exponent = text + "0" * zeros, exponent - zeros
    minus = "-" if sign else ""
    if exponent == 0:
        return dice.choice([f"{minus}{text}", f"{minus}{text}.0", f"{minus}{text}e0"])
    if -30 < exponent < 0:
        padded = text.rjust(1 - exponent, "0")
        plain = f"{minus}{padded[:exponent]}.{padded[exponent:]}"
        return dice.choice([plain, f"{minus}{text}E{exponent}"])
    return f"{minus}{text}{dice.choice('eE')}{exponent:+}"


def simplify(value: Any) -> Any:
    """Return a value that equals another one only if both mean the same."""
    if isinstance(value, Decimal):
        return ("number", value)
    if isinstance(value, list):
        return ("list", tuple(map(simplify, value)))
    if isinstance(value, dict):
        return ("object", frozenset((key, simplify(each)) for key, each in value.items()))
    return (type(value).__name__, value)


@given(VALUES, st.randoms(use_true_random=False))
def test_spelling_does_not_matter(value: Any, dice: random.Random) -> None:
    one, other = (to_canonical_json(spell(value, dice).encode()) for _ in range(2))
    assert one == other


@given(VALUES, VALUES, st.randoms(use_true_random=False))
def test_meaning_does(one: Any, other: Any, dice: random.Random) -> None:
    is_same = to_canonical_json(spell(one, dice).encode()) == to_canonical_json(
        spell(other, dice).encode()
    )
    assert is_same == (simplify(one) == simplify(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("0.1", "0.1000000000000000055511151231257827"),
        ("9007199254740993", "9007199254740992.0"),
        ("1e400", "1e401"),
        ("1", '"1"'),
        ("1", "true"),
        ("0", "null"),
        ("{}", '{"a": null}'),
        ("[1, 2]", "[2, 1]"),
        ("1e-400", "0"),
    ],
)
def test_close_values_differ(one: str, other: str) -> None:
    assert to_canonical_json(one.encode()) != to_canonical_json(other.encode())


@pytest.mark.parametrize(
    "text", ["1e999999999999", "9" * 100_000, "1e" + "9" * 5000, "[1e4000]" * 2]
)
def test_extreme_numbers_cost_nothing(text: str) -> None:
    assert len(to_canonical_json(text.encode())) <= len(text) + 10


def make_form(parts: list[bytes], boundary: bytes) -> bytes:
    return b"".join(b"--%b\r\n\r\n%b\r\n" % (boundary, part) for part in parts) + (
        b"--%b--\r\n" % boundary
    )


PARTS = st.lists(st.sampled_from([b"", b"--", b"-", b"\r\n", b"a", b"\0"]), max_size=6).map(
    b"".join
)
FORMS = st.lists(PARTS, max_size=3)


@given(FORMS, FORMS)
def test_forms_are_compared_by_their_bytes_without_the_boundary(
    one: list[bytes], other: list[bytes]
) -> None:
    first = remove_boundary(make_form(one, b"Xy"), b"Xy")
    assert first == remove_boundary(make_form(one, b"Qrs+"), b"Qrs+")
    assert (first == remove_boundary(make_form(other, b"Zz"), b"Zz")) == (one == other)
