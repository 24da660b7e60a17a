"""Telling a company's admins that an endpoint keeps failing, and that it was switched off.

Once each: what was told is written down in the transaction that tells it. An address may hold a
secret, so only its host is named.
"""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.db import Db
from pannier.notifications import service as messages
from pannier.webhooks import health, switch
from pannier.webhooks.models import Webhook
from pannier.webhooks.switch import WEBHOOKS

# One that is off or deleted meanwhile worries nobody.
WARN: Final = """
    update webhook_health h set warned_at = :now
    from webhooks w
    where h.webhook = :webhook and warned_at is null and failing_since is not null
      and w.uuid = h.webhook and w.state = 'enabled' and w.deleted_at is null
    returning failures, failing_since"""
WARNING: Final = """\
Nothing that was sent to {host} ({webhook}) has arrived since {since:%d %B %Y, %H:%M} UTC; \
{failures} attempts have failed.

If that goes on for {days} days in all, the webhook is switched off. What happens meanwhile is \
held, and sent when it is switched on again. The log of its deliveries tells what went wrong."""
DISABLED: Final = """\
The webhook to {host} ({webhook}) was switched off: {reason}.

What happens from now on is held for it. Switch it on again when the receiver is back, and it gets \
everything in its turn."""
REASONS: Final = {
    switch.FAILING: f"nothing has arrived there for {health.LONGEST.days} days",
    switch.GONE: "the receiver answered 410, which means that it is gone for good",
}


class _Failing(msgspec.Struct):
    failures: int
    failing_since: datetime


async def warn(db: Db, uuid: UUID) -> bool:
    """Tell that an endpoint keeps failing, before it is switched off; False if that was told."""
    found = await db.find(_Failing, WARN, webhook=uuid, now=db.now)
    if found is None:
        return False
    webhook = await db.one(
        Webhook, f"select {WEBHOOKS.columns} from webhooks where uuid = :uuid", uuid=uuid
    )
    audit.record(db, webhook.company, "webhook.failing", webhook.public_id, failures=found.failures)
    text = WARNING.format(
        host=_host(webhook),
        webhook=webhook.public_id,
        since=found.failing_since,
        failures=found.failures,
        days=health.LONGEST.days,
    )
    await messages.tell_admins(
        db, webhook.company, f"Webhook to {_host(webhook)} keeps failing", text
    )
    return True


async def disabled(db: Db, webhook: Webhook, reason: str) -> None:
    """Tell that an endpoint was switched off."""
    text = DISABLED.format(host=_host(webhook), webhook=webhook.public_id, reason=REASONS[reason])
    await messages.tell_admins(
        db, webhook.company, f"Webhook to {_host(webhook)} was switched off", text
    )


def _host(webhook: Webhook) -> str:
    return urlsplit(webhook.url).hostname or "?"
