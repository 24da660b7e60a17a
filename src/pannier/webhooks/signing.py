"""Signatures of deliveries: `X-Service-Signature` and the headers of Standard Webhooks."""

import base64
import hmac
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final

from pannier.webhooks.models import SignatureFormat

PREFIX: Final = "whsec_"
SECRET_BYTES: Final = 32
SIGNATURE: Final = "X-Service-Signature"
PREVIOUS: Final = "X-Service-Signature-Previous"


def create_secret() -> str:
    """Create a secret for both signature schemes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def build_signature_headers(
    body: bytes,
    *,
    id: str,
    sent_at: datetime,
    keys: Sequence[str],
    signature_format: SignatureFormat,
) -> Mapping[str, str]:
    """Build the headers that sign the body with every active secret.

    The first secret signs `X-Service-Signature`. `sent_at` is the time of the attempt, not of the
    event, because receivers refuse old timestamps.
    """
    timestamp = str(int(sent_at.timestamp()))
    content = f"{id}.{timestamp}.".encode() + body
    headers = {
        SIGNATURE: sign_legacy(body, keys[0], signature_format),
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{sign_standard(content, key)}" for key in keys),
    }
    if len(keys) > 1:
        headers[PREVIOUS] = sign_legacy(body, keys[1], signature_format)
    return headers


def sign_legacy(body: bytes, key: str, signature_format: SignatureFormat) -> str:
    """Sign the raw body with the secret's text, which receivers can verify without a library."""
    digest = hmac.digest(key.encode(), body, "sha256").hex()
    return f"sha256={digest}" if signature_format == "prefixed" else digest


def sign_standard(content: bytes, key: str) -> str:
    """Sign by Standard Webhooks, with the bytes that the secret's text encodes."""
    secret = base64.b64decode(key.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(secret, content, "sha256")).decode()
