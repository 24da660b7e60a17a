"""Verification of Pannier's webhooks. Copy this file into your project; it has no dependencies.

It works with Python 3.9 and later.

    envelope = verify(request.body, request.headers, "whsec_…")
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = ["InvalidSignature", "verify"]

_STANDARD = ("webhook-id", "webhook-timestamp", "webhook-signature")
_PLAIN = ("x-service-signature", "x-service-signature-previous")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_-]+")
_SECONDS = re.compile(r"[0-9]{1,12}")
_MIN_SECRET_BYTES = 24


class InvalidSignature(ValueError):  # noqa: N818 - a verdict on a request, not a fault
    """The request is not from Pannier, or not recent. Answer 401 and do not process it."""


def verify(
    body: bytes,
    headers: Mapping[str, str],
    secret: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> dict[str, Any]:
    """Return the envelope of a request that was signed with a secret, or raise InvalidSignature.

    `body` is the raw bytes of the request. Pass several secrets during a rotation. A request is
    valid for `tolerance` seconds around `now`, which defaults to the current time. A malformed
    secret is the caller's mistake and raises a plain ValueError.
    """
    if not isinstance(body, bytes):
        raise TypeError("Pass the raw bytes of the body, before any parsing.")
    keys = _decode_secrets(secret)
    lower_headers = _join_headers(headers)
    # If these headers are present, only they count: the other header contains no time.
    if any(name in lower_headers for name in _STANDARD):
        current_time = time.time() if now is None else now
        _check_standard_signature(body, lower_headers, keys.values(), current_time, tolerance)
    else:
        _check_plain_signature(body, lower_headers, keys)
    return _parse_body(body)


def _decode_secrets(secret: str | Sequence[str]) -> dict[str, bytes]:
    """Map the text of each secret to the bytes that it encodes."""
    secrets = [secret] if isinstance(secret, str) else secret
    keys = {text: _decode_secret(text) for text in secrets if text}
    if not keys:
        raise ValueError("No secret was given.")
    return keys


def _decode_secret(secret: str) -> bytes:
    """Decode the bytes of a secret. Refuse one that is short enough to guess."""
    if not isinstance(secret, str):
        raise TypeError("A secret must be text that begins with whsec_.")
    prefix, encoded = secret[:6], secret[6:]
    try:
        key = base64.b64decode(encoded, validate=True)
    except ValueError:
        key = b""
    # Decoding accepts several encodings of one key. Encoding it again finds those.
    is_exact = prefix == "whsec_" and base64.b64encode(key).decode() == encoded
    if not is_exact or len(key) < _MIN_SECRET_BYTES:
        raise ValueError("A secret must be whsec_ followed by base64. Copy it completely.")
    return key


def _join_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers by lower-case name. Join repeated headers with commas, as in HTTP."""
    by_name: dict[str, str] = {}
    for name, value in headers.items():
        lower_name = name.lower()
        by_name[lower_name] = f"{by_name[lower_name]}, {value}" if lower_name in by_name else value
    return by_name


def _get_header(lower_headers: Mapping[str, str], name: str) -> str:
    """Return a required header, which must be ASCII."""
    value = lower_headers.get(name, "")
    if not value:
        raise InvalidSignature(f"The header {name} is missing.")
    if not value.isascii():
        raise InvalidSignature(f"The header {name} is not ASCII.")
    return value


def _check_standard_signature(
    body: bytes,
    lower_headers: Mapping[str, str],
    keys: Iterable[bytes],
    now: float,
    tolerance: float,
) -> None:
    """Check the signature of Standard Webhooks, which covers the id, the time and the body."""
    delivery_id, timestamp, signatures = (
        _get_header(lower_headers, header) for header in _STANDARD
    )
    # A full stop in the id could shift the boundaries between the three parts.
    if not _IDENTIFIER.fullmatch(delivery_id):
        raise InvalidSignature("The header webhook-id is not a valid delivery id.")
    _check_time(timestamp, now, tolerance)
    content = f"{delivery_id}.{timestamp}.".encode() + body
    digests = (hmac.new(key, content, hashlib.sha256).digest() for key in keys)
    expected = [f"v1,{base64.b64encode(digest).decode()}" for digest in digests]
    _check_any_signature(signatures.split(" "), expected)


def _check_time(timestamp: str, now: float, tolerance: float) -> None:
    """Refuse a request that was signed too long ago, or in the future."""
    if not _SECONDS.fullmatch(timestamp):
        raise InvalidSignature("The header webhook-timestamp is not a number of seconds.")
    # Written this way, a tolerance of NaN refuses the request.
    if not abs(now - int(timestamp)) <= tolerance:
        raise InvalidSignature("The request was signed too long ago, or in the future.")


def _check_plain_signature(
    body: bytes, lower_headers: Mapping[str, str], keys: Iterable[str]
) -> None:
    """Check the signature of the body alone, with or without a prefix."""
    names = [name for name in _PLAIN if name in lower_headers]
    if not names:
        raise InvalidSignature("The request has no signature.")
    digests = [hmac.new(key.encode(), body, hashlib.sha256).hexdigest() for key in keys]
    expected = [text for digest in digests for text in (f"sha256={digest}", digest)]
    _check_any_signature([_get_header(lower_headers, name) for name in names], expected)


def _check_any_signature(signatures: Iterable[str], expected: Sequence[str]) -> None:
    """Raise InvalidSignature unless one of the signatures is expected."""
    # Texts are compared, not decoded bytes, so that each signature has exactly one encoding.
    for signature in signatures:
        if any(hmac.compare_digest(signature, candidate) for candidate in expected):
            return
    raise InvalidSignature("No signature matches the body and the secret.")


def _parse_body(body: bytes) -> dict[str, Any]:
    """Parse the envelope. The signature must have been checked before."""
    try:
        envelope = json.loads(body.decode())
    except ValueError:
        envelope = None
    if not isinstance(envelope, dict):
        raise InvalidSignature("The body is signed, but it is not a JSON object.")
    return envelope
