"""Emails to a company's admins about an endpoint that keeps failing or was disabled.

Each is sent once, recorded in the same transaction. A URL may contain a secret, so only its host
is named.
"""

from datetime import datetime
from typing import Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec

from pannier.accounts import audit
from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db
from pannier.notifications import service as messages
from pannier.notifications.texts import compose
from pannier.webhooks import health, switch
from pannier.webhooks.models import Webhook
from pannier.webhooks.switch import WEBHOOKS

# Skips endpoints that were disabled or deleted meanwhile.
WARN: Final = """
    update webhook_health h set warned_at = :now
    from webhooks w
    where h.webhook = :webhook and warned_at is null and failing_since is not null
      and w.uuid = h.webhook and w.state = 'enabled' and w.deleted_at is null
    returning failures, failing_since"""
REASONS: Final = {switch.FAILING: "failing", switch.GONE: "gone"}


class _FailureRow(msgspec.Struct):
    failures: int
    failing_since: datetime


async def warn_admins(db: Db, uuid: UUID) -> bool:
    """Email the admins once that an endpoint keeps failing. Return whether this call did."""
    failure = await db.find(_FailureRow, WARN, webhook=uuid, now=db.now)
    if failure is None:
        return False
    webhook = await db.get(
        Webhook, f"select {WEBHOOKS.columns} from webhooks where uuid = :uuid", uuid=uuid
    )
    audit.record(
        db, webhook.company, "webhook.failing", webhook.public_id, failures=failure.failures
    )
    await messages.email_admins(
        db,
        webhook.company,
        "webhook_failing",
        host=_get_host(webhook),
        webhook=webhook.public_id,
        since=f"{failure.failing_since:%Y-%m-%d %H:%M} UTC",
        failures=failure.failures,
        days=health.DISABLE_AFTER.days,
    )
    return True


async def announce_disabled_webhook(db: Db, webhook: Webhook, reason: str) -> None:
    """Email the admins that an endpoint was disabled."""
    locale = (await company_settings.load(db, webhook.company)).locale
    key = f"webhook_disabled.{REASONS[reason]}"
    await messages.email_admins(
        db,
        webhook.company,
        "webhook_disabled",
        host=_get_host(webhook),
        webhook=webhook.public_id,
        reason=compose(locale, key, days=health.DISABLE_AFTER.days),
    )


def _get_host(webhook: Webhook) -> str:
    return urlsplit(webhook.url).hostname or "?"
