"""Sealing of an endpoint's signing secrets and headers."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec
from msgspec.structs import replace

from pannier.db.sealing import SealedTable
from pannier.kit import ids
from pannier.kit.crypto import Keyring
from pannier.webhooks.models import Secret, Webhook

SIGNING_PURPOSE: Final = "webhook secret"
HEADERS_PURPOSE: Final = "webhook headers"


class UnreadableSecret(Exception):  # noqa: N818 - a state of the installation
    """The value was sealed with another PANNIER_SECRET."""


def seal_secret(
    keys: Keyring, webhook: UUID, text: str, now: datetime, *, leads_at: datetime | None = None
) -> Secret:
    ciphertext = keys.seal(SIGNING_PURPOSE, text.encode(), context=webhook.bytes)
    return Secret(ids.random_text(8), ciphertext, now, leads_at or now)


def open_active_secrets(keys: Keyring, webhook: Webhook, now: datetime) -> list[str]:
    """Return the active secrets. The one that signs `X-Service-Signature` comes first."""
    active_secrets = [
        secret for secret in webhook.secrets if secret.expires_at is None or secret.expires_at > now
    ]
    newest_first = sorted(active_secrets, key=lambda secret: secret.created_at)[::-1]
    leading_secrets = [secret for secret in newest_first if secret.leads_at <= now] or newest_first[
        -1:
    ]
    ordered_secrets = leading_secrets[:1] + [
        secret for secret in newest_first if secret is not leading_secrets[0]
    ]
    return [
        _unseal_text(keys, SIGNING_PURPOSE, webhook.uuid, secret.sealed).decode()
        for secret in ordered_secrets
    ]


def seal_headers(keys: Keyring, webhook: UUID, headers: Mapping[str, str]) -> bytes | None:
    """Seal an endpoint's headers, which often contain a credential."""
    if not headers:
        return None
    return keys.seal(HEADERS_PURPOSE, msgspec.json.encode(headers), context=webhook.bytes)


def open_headers(keys: Keyring, webhook: Webhook) -> dict[str, str]:
    if webhook.headers is None:
        return {}
    plaintext = _unseal_text(keys, HEADERS_PURPOSE, webhook.uuid, webhook.headers)
    return msgspec.json.decode(plaintext, type=dict[str, str])


def reseal(keys: Keyring, webhook: Webhook) -> dict[str, Any]:
    """Seal an endpoint's secrets and headers with the current key, and return the columns."""
    context = webhook.uuid.bytes
    ciphertext = webhook.headers
    return {
        "headers": None
        if ciphertext is None
        else keys.reseal(HEADERS_PURPOSE, ciphertext, context=context),
        "secrets": [
            replace(secret, sealed=keys.reseal(SIGNING_PURPOSE, secret.sealed, context=context))
            for secret in webhook.secrets
        ],
    }


SEALED: Final = SealedTable("webhooks", Webhook, reseal)


def _unseal_text(keys: Keyring, purpose: str, webhook: UUID, ciphertext: bytes) -> bytes:
    plaintext = keys.unseal(purpose, ciphertext, context=webhook.bytes)
    if plaintext is None:
        raise UnreadableSecret("A webhook's secret was sealed with another PANNIER_SECRET.")
    return plaintext
