"""Switching endpoints on and off. What is not sent meanwhile is held, never dropped.

`held` is written only by whoever holds the endpoint's row: here, and where events fan out.
"""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from pannier.db import Db, Table
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
DELETED: Final = "The webhook was deleted."
GONE: Final = "gone"
FAILING: Final = "failing"


async def switch(
    db: Db, webhook: Webhook, state: WebhookState, reason: str | None, details: Mapping[str, str]
) -> Webhook:
    """Switch an endpoint that the caller holds, and hold or release what waits for it."""
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
        await _release(db, switched)
    else:
        await settle(db, switched)
    return switched


async def settle(db: Db, webhook: Webhook) -> None:
    """Hold or cancel what waits for an endpoint that is switched off or deleted.

    The caller holds the endpoint.
    """
    if webhook.deleted_at is not None:
        await db.execute(
            """update webhook_deliveries set state = 'cancelled', error = :error, finished_at = :now
               where webhook = :webhook and state in ('pending', 'held')""",
            webhook=webhook.uuid,
            error=DELETED,
            now=db.now,
        )
    elif webhook.state != "enabled":
        await db.execute(
            """update webhook_deliveries set state = 'held'
               where webhook = :webhook and state = 'pending'""",
            webhook=webhook.uuid,
        )


async def _release(db: Db, webhook: Webhook) -> None:
    """Let what was held go on where it stood; an old failure is forgotten."""
    await db.execute(
        """update webhook_deliveries set state = 'pending'
           where webhook = :webhook and state = 'held'""",
        webhook=webhook.uuid,
    )
    await db.execute(
        """update webhook_health set failing_since = null, failures = 0
           where company = :company and webhook = :webhook""",
        company=webhook.company,
        webhook=webhook.uuid,
    )


async def disable(db: Db, uuid: UUID, reason: str) -> Webhook | None:
    """Switch an endpoint off because of what its receiver did; None when it is off already."""
    webhook = await _taken(db, uuid)
    if webhook.state != "enabled" or webhook.deleted_at is not None:
        return None
    return await switch(db, webhook, "disabled", reason, {"reason": reason})


async def tidy(db: Db, uuid: UUID) -> None:
    """Settle what reached an endpoint's lane just as it was switched off."""
    await settle(db, await _taken(db, uuid))


async def _taken(db: Db, uuid: UUID) -> Webhook:
    return await db.one(
        Webhook, "select * from webhooks where uuid = :uuid for no key update", uuid=uuid
    )
