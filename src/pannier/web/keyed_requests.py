"""Requests with an idempotency key: each is identified by a fingerprint and claimed for one run."""

import hashlib
import re
from typing import Final

import msgspec

from pannier.errors import FieldError, Invalid
from pannier.web import bodies
from pannier.web.exchange import Exchange
from pannier.web.idempotency import HEADER, PendingRequest

MAX_KEY_BYTES: Final = 255
_BOUNDARY: Final = re.compile(rb'^multipart/.*?boundary="?([^";,\s]+)', re.IGNORECASE)


async def begin_request(exchange: Exchange, scope: str) -> None:
    """Receive the body and claim the request's key, or raise Replay with its stored response."""
    await bodies.load(exchange)
    key = exchange.headers.get(HEADER)
    if key is None or exchange.method != "POST":
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
    return hashlib.sha256(exchange.target + b"\n" + _normalise_body(exchange)).digest()


def _normalise_body(exchange: Exchange) -> bytes:
    """Return the body without irrelevant differences, such as a form's boundary."""
    if exchange.is_json:
        return _to_canonical_json(exchange.body)
    match = _BOUNDARY.search(exchange.headers.get(b"content-type", b""))
    return exchange.body if match is None else exchange.body.replace(b"--" + match[1], b"--")


def _to_canonical_json(body: bytes) -> bytes:
    """Convert JSON to canonical form. Key order, spaces and number formats then do not matter."""
    try:
        return msgspec.json.encode(_plain_json.decode(body), order="deterministic")
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return body


def _parse_number(text: str) -> int | float:
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < MAX_EXACT_INTEGER else value


MAX_EXACT_INTEGER: Final = 2**53
_plain_json: Final = msgspec.json.Decoder(float_hook=_parse_number)
