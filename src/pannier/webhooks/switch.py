"""Switching endpoints on and off. What is not sent meanwhile is held, never dropped.

Nothing that waits is touched: whether it is held or cancelled, its endpoint's own row says.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple
from uuid import UUID

from pannier.db import Db, Table
from pannier.webhooks import fanout, health
from pannier.webhooks.models import Webhook, WebhookState

# An address may hold a secret too: many receivers are known by an unguessable one.
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


class Tried(NamedTuple):
    """An attempt by what matters to its endpoint's fate: where it went, and when."""

    url: str
    started_at: datetime


async def switch(
    db: Db, webhook: Webhook, state: WebhookState, reason: str | None, details: Mapping[str, str]
) -> Webhook:
    """Switch an endpoint that the caller holds; what was held goes on where it stood."""
    if webhook.state == state:
        return webhook
    switched, _ = await WEBHOOKS.change(
        db,
        webhook,
        log_action=state,
        log_details=details,
        state=state,
        state_reason=reason,
        state_changed_at=db.now,
    )
    if state == "enabled":
        await forgive(db, switched)
        # What was held may be due by now.
        db.ring(fanout.CHANNEL)
    return switched


async def forgive(db: Db, webhook: Webhook) -> None:
    """Forget old failures."""
    await db.execute(
        """update webhook_health set failing_since = null, failures = 0, warned_at = null
           where company = :company and webhook = :webhook""",
        company=webhook.company,
        webhook=webhook.uuid,
    )


async def disable(db: Db, uuid: UUID, reason: str, tried: Tried | None = None) -> Webhook | None:
    """Switch an endpoint off because of what its receiver did; None when it is off already.

    What an attempt that was `tried` heard says nothing of an address that was chosen since, nor
    against somebody who has switched the endpoint on since. Nor do failures that were forgiven
    between their count and this.
    """
    webhook = await db.one(
        Webhook,
        f"select {WEBHOOKS.columns} from webhooks where uuid = :uuid for no key update",
        uuid=uuid,
    )
    if webhook.state != "enabled" or webhook.deleted_at is not None:
        return None
    if tried is not None and (
        webhook.url != tried.url or webhook.state_changed_at > tried.started_at
    ):
        return None
    if reason == FAILING and not await health.is_hopeless(db, uuid):
        return None
    return await switch(db, webhook, "disabled", reason, {"reason": reason})
