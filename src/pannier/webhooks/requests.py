"""The request of an attempt: its headers as they are sent, and as the log shows them."""

from datetime import datetime
from typing import Final

from pannier.kit.crypto import Keyring
from pannier.webhooks import sealed, signing
from pannier.webhooks.models import SignatureFormat, Webhook

AGENT: Final = "Pannier-Webhooks/1.0"
HIDDEN: Final = "***"


def headers_of(
    keys: Keyring,
    webhook: Webhook,
    *,
    id: str,
    name: str,
    number: int,
    sequence: int,
    body: bytes,
    moment: datetime,
    form: SignatureFormat | None = None,
) -> tuple[dict[str, str], dict[str, str]]:
    """Make an attempt's headers: as they are sent, and as the log shows them.

    They are made at the attempt, so that one after a rotation is signed with the new secret.
    """
    ours = {
        "Content-Type": "application/json",
        "User-Agent": AGENT,
        "Accept": "*/*",
        "Accept-Encoding": "identity",
        "X-Service-Event": name,
        "X-Service-Attempt": str(number),
        "X-Service-Sequence": str(sequence),
        **signing.signed(
            body,
            id=id,
            moment=moment,
            keys=sealed.active(keys, webhook, moment),
            form=form or webhook.signature_format,
        ),
    }
    own = sealed.own_headers(keys, webhook)
    return {**own, **ours}, {**dict.fromkeys(own, HIDDEN), **ours}
