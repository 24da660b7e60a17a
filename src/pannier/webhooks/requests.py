"""Headers of an attempt's request, as sent and as logged."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from pannier.kit.crypto import Keyring
from pannier.webhooks import sealed, signing
from pannier.webhooks.models import SignatureFormat, Webhook
from pannier.webhooks.queue import LeasedDelivery

AGENT: Final = "Pannier-Webhooks/1.0"
MASK: Final = "***"


def build_headers(
    keys: Keyring,
    webhook: Webhook,
    delivery: LeasedDelivery,
    signature_format: SignatureFormat | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Build an attempt's headers, as sent and as logged.

    They are built for each attempt, so that retries after a rotation use the new secret.
    """
    service_headers = build_service_headers(
        delivery.body,
        id=delivery.public_id,
        name=delivery.name,
        attempt=delivery.attempts,
        sequence=delivery.sequence,
        sent_at=delivery.started_at,
        secrets=sealed.open_active_secrets(keys, webhook, delivery.started_at),
        signature_format=signature_format or webhook.signature_format,
    )
    custom_headers = sealed.open_headers(keys, webhook)
    return {**custom_headers, **service_headers}, {
        **dict.fromkeys(custom_headers, MASK),
        **service_headers,
    }


def build_service_headers(
    body: bytes,
    *,
    id: str,
    name: str,
    attempt: int,
    sequence: int,
    sent_at: datetime,
    secrets: Sequence[str],
    signature_format: SignatureFormat,
) -> dict[str, str]:
    """Build the headers that Pannier sets, with the signatures of the body."""
    return {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "X-Service-Event": name,
        "X-Service-Attempt": str(attempt),
        "X-Service-Sequence": str(sequence),
        **signing.build_signature_headers(
            body, id=id, sent_at=sent_at, keys=secrets, signature_format=signature_format
        ),
    }
