"""Requests with an idempotency key: each is identified by a fingerprint and claimed for one run."""

import hashlib
import re
from typing import Final

import msgspec

from pannier.errors import FieldError, Invalid
from pannier.web import bodies, request_turns
from pannier.web.exchange import Exchange
from pannier.web.idempotency import HEADER, PendingRequest, accepts_key
from pannier.web.versions import HEADER as IF_MATCH

MAX_KEY_BYTES: Final = 255
EMPTY_OBJECT: Final = b"{}"
DELIMITER: Final = b"\r\n--"
# Longer integers in exponential notation stay in it, because they could fill the memory.
MAX_INTEGER_DIGITS: Final = 40
MAX_NUMBER_LENGTH: Final = 1000
_BOUNDARY: Final = re.compile(rb'^multipart/.*?boundary="?([^";,\s]+)', re.IGNORECASE)


async def begin_request(exchange: Exchange, scope: str) -> None:
    """Receive the body, wait for a turn, and claim the request's key.

    Raise Replay with the stored response if the key was used before.
    """
    await bodies.load(exchange)
    await request_turns.take_turn(exchange)
    key = exchange.headers.get(HEADER)
    has_condition = IF_MATCH in exchange.headers
    is_ignored = exchange.edge.is_reading(exchange)
    if key is None or is_ignored or not accepts_key(exchange.method, has_condition=has_condition):
        return
    if not 0 < len(key) <= MAX_KEY_BYTES:
        message = f"must have 1 to {MAX_KEY_BYTES} characters."
        raise Invalid(fields=[FieldError("Idempotency-Key", message)])
    pending_request = PendingRequest(
        id=hashlib.sha256(f"{scope}\n".encode() + key).digest(),
        key=key,
        fingerprint=await bodies.process_body(exchange, lambda: _compute_fingerprint(exchange)),
    )
    await exchange.edge.claim_key(exchange, pending_request)


def _compute_fingerprint(exchange: Exchange) -> bytes:
    """Return a hash that is the same for equivalent requests only."""
    # The same path can be changed and deleted. A POST has no method in its fingerprint, so that
    # keys from the time when only a POST had one stay valid.
    method = b"" if exchange.method == "POST" else exchange.method.encode() + b" "
    return hashlib.sha256(method + exchange.target + b"\n" + _normalise_body(exchange)).digest()


def _normalise_body(exchange: Exchange) -> bytes:
    """Return the body without irrelevant differences. A missing body equals an empty object."""
    if not exchange.body:
        return EMPTY_OBJECT
    if exchange.is_json:
        return to_canonical_json(exchange.body)
    match = _BOUNDARY.search(exchange.headers.get(b"content-type", b""))
    return exchange.body if match is None else remove_boundary(exchange.body, match[1])


def remove_boundary(body: bytes, boundary: bytes) -> bytes:
    """Remove the boundary of a form, which clients choose anew for each attempt.

    Lines of a part that look like a delimiter without its boundary are marked.
    """
    parts = re.split(rb"(?:^|\r\n)--" + re.escape(boundary), body)
    marked_parts = (part.replace(b"\r\n-", b"\r\n-\0") for part in parts)
    return DELIMITER.join(marked_parts).removeprefix(b"\r\n")


def to_canonical_json(body: bytes) -> bytes:
    """Convert JSON to canonical form. Key order, spaces and number formats then do not matter."""
    try:
        return msgspec.json.encode(_plain_json.decode(body), order="deterministic")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body


def _parse_number(text: str) -> int | float | msgspec.Raw:
    """Return an integer, a float or a canonical text, so that the value stays exact."""
    if len(text) > MAX_NUMBER_LENGTH:
        return msgspec.Raw(text.encode())
    value = float(text)
    if repr(value) == text and not value.is_integer():
        return value  # the usual case, and ten times as fast
    sign, digits, exponent = _split_number(text)
    if exponent >= 0 and len(digits) + exponent <= MAX_INTEGER_DIGITS:
        return int(f"{sign}{digits}{'0' * exponent}")
    if _split_number(repr(value)) == (sign, digits, exponent):
        return value
    return msgspec.Raw(f"{sign}{digits}e{exponent}".encode())


def _split_number(text: str) -> tuple[str, str, int]:
    """Split a number into its sign, its significant digits and a power of ten."""
    mantissa, _, power = text.lower().partition("e")
    integer_digits, _, fraction = mantissa.removeprefix("-").partition(".")
    digits = (integer_digits + fraction).lstrip("0")
    if not digits:
        return "", "0", 0
    significant_digits = digits.rstrip("0")
    zeros = len(digits) - len(significant_digits)
    sign = "-" if text.startswith("-") else ""
    return sign, significant_digits, int(power or 0) - len(fraction) + zeros


_plain_json: Final = msgspec.json.Decoder(float_hook=_parse_number)
