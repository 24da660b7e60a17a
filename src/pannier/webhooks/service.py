"""Changes of webhooks: register, change, rotate the secret, delete."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

import msgspec
from msgspec import UNSET

from pannier.accounts import queries as accounts
from pannier.alerts import service as alerts
from pannier.db import Db
from pannier.errors import Conflict, FieldError, Invalid, parse_field
from pannier.events import patterns
from pannier.web.fields import Given
from pannier.webhooks import guard, headers, queries, queue, sealed, signing
from pannier.webhooks.models import Secret, Webhook, WebhookState
from pannier.webhooks.schemas import RotateIn, WebhookChange, WebhookIn, to_columns
from pannier.webhooks.switch import WEBHOOKS, reset_failures, switch_state
from pannier.webhooks.webhook_client import WebhookClient

MAX_WEBHOOKS: Final = 100
MAX_SECRETS: Final = 5
# The state reason when an operator or a key disabled the webhook.
OPERATOR: Final = "operator"
TEST_COMPANIES_ONLY: Final = f"Only webhooks of test companies can use {guard.LISTENER_HOST}."
# Column names and their API names, where they differ.
FIELD_NAMES: Final = {
    "timeout_seconds": "timeout",
    "rate_per_second": "rate_limit",
    "header_names": "headers",
}


class WebhookLimit(Conflict):
    """The number of webhooks per company is limited."""

    code = "webhook_limit"
    title = f"A company can have at most {MAX_WEBHOOKS} webhooks."
    remedy = "Delete one first."


class WebhookWithSecret(msgspec.Struct):
    """A webhook and its new secret, which cannot be shown again."""

    webhook: Webhook
    secret: str


async def check_reachable(webhook_client: WebhookClient, url: Given[str]) -> Given[str]:
    """Return a URL in canonical form. Raise Invalid if webhooks may not reach it."""
    if url is UNSET:
        return UNSET
    parsed_url = parse_field(
        "url", lambda text: guard.check_url(text, webhook_client.allowed_networks), url
    )
    try:
        await webhook_client.check_reachable(parsed_url)
    except ValueError as error:
        raise Invalid(fields=[FieldError("url", str(error))]) from None
    return parsed_url


async def _check_listener(db: Db, company: UUID, url: Given[str]) -> None:
    """Raise Invalid if a live company registers the local listener."""
    if url is UNSET or urlsplit(url).hostname != guard.LISTENER_HOST:
        return
    if (await accounts.get_company(db, company)).mode != "test":
        raise Invalid(fields=[FieldError("url", TEST_COMPANIES_ONLY)])


async def register_webhook(db: Db, company: UUID, data: WebhookIn) -> WebhookWithSecret:
    """Create an endpoint. The caller has checked its URL with `check_reachable`."""
    await _check_listener(db, company, data.url)
    if await queries.lock_and_count_webhooks(db, company) >= MAX_WEBHOOKS:
        raise WebhookLimit
    keys, uuid, secret = db.database.keys, db.new_uuid(), signing.create_secret()
    columns = to_columns(data)
    custom_headers = headers.merge_headers({}, columns.pop("headers") or {})
    webhook = WEBHOOKS.draft(
        db,
        company,
        **columns | {"events": _check_patterns(data.events)},
        uuid=uuid,
        headers=sealed.seal_headers(keys, uuid, custom_headers),
        header_names=list(custom_headers),
        secrets=[sealed.seal_secret(keys, uuid, secret, db.now)],
        state_reason=_choose_state_reason(data.state),
        state_changed_at=db.now,
    )
    await WEBHOOKS.insert(db, webhook, log_details={"host": urlsplit(webhook.url).hostname})
    return WebhookWithSecret(webhook, secret)


async def change_webhook(db: Db, webhook: Webhook, data: WebhookChange) -> Webhook:
    """Change an endpoint and its state. Deliveries are held while it is not enabled."""
    await _check_listener(db, webhook.company, data.url)
    new_columns = to_columns(data)
    state: WebhookState = new_columns.pop("state", webhook.state)
    if "events" in new_columns:
        new_columns["events"] = _check_patterns(new_columns["events"])
    if _changes_host(webhook, data.url):
        headers.check_moved_headers(
            webhook.header_names,
            (new_columns["headers"] or {}) if "headers" in new_columns else None,
        )
    if "headers" in new_columns:
        new_columns |= _seal_changed_headers(db, webhook, new_columns.pop("headers") or {})
    changed_columns = [
        name for name, value in new_columns.items() if getattr(webhook, name) != value
    ]
    changed_fields = dict.fromkeys(FIELD_NAMES.get(name, name) for name in changed_columns)
    updated_webhook, _ = await WEBHOOKS.change(
        db, webhook, log_details={"changed": list(changed_fields)}, **new_columns
    )
    if "ordering" in changed_columns:
        await queue.reorder_queue(db, webhook.uuid, strict=updated_webhook.ordering == "strict")
    if "url" in changed_columns:
        # Failures at the old URL do not count for the new one. Recording attempts also locks the
        # queue first: another order could deadlock.
        await reset_failures(db, updated_webhook)
    return await switch_state(
        db, updated_webhook, state, _choose_state_reason(state), {"before": webhook.state}
    )


async def rotate_secret(db: Db, webhook: Webhook, data: RotateIn) -> WebhookWithSecret:
    """Give an endpoint a new secret. Older secrets also sign until the grace period ends."""
    secret, grace_ends_at = signing.create_secret(), db.now + data.grace
    leads_at = grace_ends_at if data.switch == "at_end" else db.now
    new_secret = sealed.seal_secret(
        db.database.keys, webhook.uuid, secret, db.now, leads_at=leads_at
    )
    older_secrets = [
        msgspec.structs.replace(
            older_secret, expires_at=min(grace_ends_at, older_secret.expires_at or grace_ends_at)
        )
        for older_secret in webhook.secrets
    ]
    unexpired_secrets = [
        older_secret
        for older_secret in older_secrets
        if (older_secret.expires_at or grace_ends_at) > db.now
    ]
    updated_webhook, _ = await WEBHOOKS.change(
        db,
        webhook,
        log_action="secret_rotated",
        log_details={"grace_seconds": data.grace_seconds, "switch": data.switch},
        secrets=_keep_newest([*unexpired_secrets, new_secret]),
    )
    return WebhookWithSecret(updated_webhook, secret)


async def delete_webhook(db: Db, webhook: Webhook) -> None:
    """Delete an endpoint. Queued deliveries are canceled; those in flight end normally."""
    await WEBHOOKS.remove(db, webhook)
    await alerts.close_alerts(db, webhook.company, "webhook_disabled", [webhook.uuid])


def _choose_state_reason(state: WebhookState) -> str | None:
    return None if state == "enabled" else OPERATOR


def _check_patterns(names: list[str]) -> list[str]:
    return parse_field("events", patterns.validate, names)


def _seal_changed_headers(
    db: Db, webhook: Webhook, new_headers: Mapping[str, str]
) -> dict[str, Any]:
    """Seal the headers if they changed. Sealing again would make equal headers look changed."""
    keys = db.database.keys
    current_headers = sealed.open_headers(keys, webhook)
    merged_headers = headers.merge_headers(current_headers, new_headers)
    if merged_headers == current_headers:
        return {}
    return {
        "headers": sealed.seal_headers(keys, webhook.uuid, merged_headers),
        "header_names": list(merged_headers),
    }


def _changes_host(webhook: Webhook, url: Given[str]) -> bool:
    """Return whether a change sends deliveries to another host or port."""
    return url is not UNSET and urlsplit(url).netloc != urlsplit(webhook.url).netloc


def _keep_newest(secrets: list[Secret]) -> list[Secret]:
    """Return the newest `MAX_SECRETS` secrets."""
    return sorted(secrets, key=lambda secret: secret.created_at)[-MAX_SECRETS:]
