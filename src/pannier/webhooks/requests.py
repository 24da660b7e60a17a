"""Headers of an attempt's request, as sent and as logged."""

from typing import Final

from pannier.kit.crypto import Keyring
from pannier.webhooks import sealed, signing
from pannier.webhooks.models import SignatureFormat, Webhook
from pannier.webhooks.queue import TakenDelivery

AGENT: Final = "Pannier-Webhooks/1.0"
HIDDEN: Final = "***"


def build_headers(
    keys: Keyring,
    webhook: Webhook,
    taken: TakenDelivery,
    form: SignatureFormat | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Build an attempt's headers, as sent and as logged.

    They are built for each attempt, so that retries after a rotation use the new secret.
    """
    service_headers = {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "X-Service-Event": taken.name,
        "X-Service-Attempt": str(taken.attempts),
        "X-Service-Sequence": str(taken.sequence),
        **signing.signature_headers(
            taken.body,
            id=taken.public_id,
            moment=taken.started_at,
            keys=sealed.open_active_secrets(keys, webhook, taken.started_at),
            form=form or webhook.signature_format,
        ),
    }
    own = sealed.open_headers(keys, webhook)
    return {**own, **service_headers}, {**dict.fromkeys(own, HIDDEN), **service_headers}
