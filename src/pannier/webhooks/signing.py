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


def new_secret() -> str:
    """Create a secret, which serves both signature schemes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signature_headers(
    body: bytes,
    *,
    id: str,
    moment: datetime,
    keys: Sequence[str],
    form: SignatureFormat,
) -> Mapping[str, str]:
    """Sign the body with every active secret. The first one signs `X-Service-Signature`.

    The time is the attempt's, not the event's, because receivers refuse old timestamps.
    """
    timestamp = str(int(moment.timestamp()))
    content = f"{id}.{timestamp}.".encode() + body
    headers = {
        SIGNATURE: sign_legacy(body, keys[0], form),
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{sign_standard(content, key)}" for key in keys),
    }
    if len(keys) > 1:
        headers[PREVIOUS] = sign_legacy(body, keys[1], form)
    return headers


def sign_legacy(body: bytes, key: str, form: SignatureFormat) -> str:
    """Sign the raw body with the secret's text, which receivers can verify without a library."""
    code = hmac.digest(key.encode(), body, "sha256").hex()
    return f"sha256={code}" if form == "prefixed" else code


def sign_standard(content: bytes, key: str) -> str:
    """Sign by Standard Webhooks, with the bytes that the secret's text encodes."""
    secret = base64.b64decode(key.removeprefix(PREFIX))
    return base64.b64encode(hmac.digest(secret, content, "sha256")).decode()
