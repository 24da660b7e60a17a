"""Enabling and disabling of endpoints. Deliveries are held meanwhile, never dropped.

Queued deliveries do not change: whether they are held or cancelled follows from the endpoint's row.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID

from pannier.alerts import service as alerts
from pannier.alerts.models import AlertCause
from pannier.db import Db, Table
from pannier.webhooks import fanout, health
from pannier.webhooks.models import Webhook, WebhookState

# A URL may be secret too: many receivers are protected by an unguessable one.
WEBHOOKS: Final = Table(
    "webhooks",
    Webhook,
    noun="webhook",
    search=("url", "description"),
    configuration=True,
    secret=frozenset({"url", "headers", "secrets"}),
)
GONE: Final = "gone"
FAILING: Final = "failing"


class AttemptTarget(NamedTuple):
    """The URL and time of the attempt that may disable an endpoint."""

    url: str
    started_at: datetime


async def switch_state(
    db: Db, webhook: Webhook, state: WebhookState, reason: str | None, details: Mapping[str, str]
) -> Webhook:
    """Change the state of a locked endpoint. Enabling it releases held deliveries."""
    if webhook.state == state:
        return webhook
    switched_webhook, _ = await WEBHOOKS.change(
        db,
        webhook,
        log_action=state,
        log_details=details,
        state=state,
        state_reason=reason,
        state_changed_at=db.now,
    )
    if webhook.state == "disabled":
        await alerts.close_alerts(db, webhook.company, "webhook_disabled", [webhook.uuid])
    if state == "enabled":
        await reset_failures(db, switched_webhook)
        # Held deliveries may be due by now.
        db.notify(fanout.CHANNEL)
    return switched_webhook


async def reset_failures(db: Db, webhook: Webhook) -> None:
    """Reset an endpoint's failure count."""
    await db.execute(
        """update webhook_health set failing_since = null, failures = 0, warned_at = null
           where company = :company and webhook = :webhook""",
        company=webhook.company,
        webhook=webhook.uuid,
    )


async def disable_webhook(
    db: Db, uuid: UUID, reason: str, target: AttemptTarget | None = None
) -> Webhook | None:
    """Disable an endpoint because of its receiver. Return None if the reason no longer applies.

    An attempt does not count if the URL was changed or the endpoint enabled after it.
    Failures do not count if they were reset after they were counted.
    """
    webhook = await db.get(
        Webhook,
        f"select {WEBHOOKS.columns} from webhooks where uuid = :uuid for no key update",
        uuid=uuid,
    )
    if webhook.state != "enabled" or webhook.deleted_at is not None:
        return None
    if target is not None and (
        webhook.url != target.url or webhook.state_changed_at > target.started_at
    ):
        return None
    if reason == FAILING and not await health.should_still_disable(db, uuid):
        return None
    disabled_webhook = await switch_state(db, webhook, "disabled", reason, {"reason": reason})
    await _raise_alert(db, disabled_webhook, reason)
    return disabled_webhook


async def _raise_alert(db: Db, webhook: Webhook, reason: str) -> None:
    """Alert the operators. A URL may contain a secret, so only its host is named."""
    details = {"host": urlsplit(webhook.url).hostname, "reason": reason}
    cause = AlertCause(
        kind="webhook_disabled",
        subject=webhook.public_id,
        subject_uuid=webhook.uuid,
        details=details,
    )
    await alerts.raise_alert(db, webhook.company, cause)
