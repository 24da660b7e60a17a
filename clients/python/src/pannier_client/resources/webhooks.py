# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.webhooks`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class WebhooksListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    state: types.WebhookState | Sequence[types.WebhookState]
    """Filter by state."""
    query: str
    """Searches URL and description."""


class WebhooksListDeliveriesQuery(TypedDict, total=False):
    """Parameters of `list_deliveries`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    event: str | Sequence[str]
    """Filter by event name."""
    state: types.DeliveryState | Sequence[types.DeliveryState]
    """Filter by state. `canceled` is the same as `cancelled`."""
    since: str | datetime
    """Created at or after this time."""
    until: str | datetime
    """Created before this time."""
    subject: str
    """UUID or public id of the record that the event is about."""
    event_id: str
    """Filter by event id."""


class Webhooks:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.WebhookIn]
    ) -> types.NewWebhookOut:
        """Register a webhook."""
        return self._transport.call("POST", "/v1/webhooks", body=fields, options=options)

    def delete(self, webhook_id: str, /, *, options: Options | None = None) -> types.RecordDeleted:
        """Delete a webhook."""
        return self._transport.call(
            "DELETE", fill_path("/v1/webhooks/{webhook_id}", webhook_id), options=options
        )

    def get(self, webhook_id: str, /, *, options: Options | None = None) -> types.WebhookOut:
        """Retrieve a webhook, without its secrets and header values."""
        return self._transport.call(
            "GET", fill_path("/v1/webhooks/{webhook_id}", webhook_id), options=options
        )

    def get_performance(
        self, webhook_id: str, /, *, options: Options | None = None
    ) -> types.PerformanceOut:
        """Retrieve the success rate and response times for the last 24 hours."""
        return self._transport.call(
            "GET", fill_path("/v1/webhooks/{webhook_id}/performance", webhook_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[WebhooksListQuery]
    ) -> Pages[types.WebhookOut]:
        """List the company's webhooks."""
        return self._transport.list_pages("/v1/webhooks", query=query, options=options)

    def list_deliveries(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[WebhooksListDeliveriesQuery],
    ) -> Pages[types.DeliveryOut]:
        """List the deliveries to a webhook, newest first."""
        return self._transport.list_pages(
            fill_path("/v1/webhooks/{webhook_id}/deliveries", webhook_id),
            query=query,
            options=options,
        )

    def ping(self, webhook_id: str, /, *, options: Options | None = None) -> types.PingOut:
        """Send a test ping, whatever the webhook's state, and return the result."""
        return self._transport.call(
            "POST", fill_path("/v1/webhooks/{webhook_id}/ping", webhook_id), options=options
        )

    def rotate_secret(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RotateIn],
    ) -> types.NewWebhookOut:
        """Create a new secret."""
        return self._transport.call(
            "POST",
            fill_path("/v1/webhooks/{webhook_id}/rotate-secret", webhook_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.WebhookChange],
    ) -> types.WebhookOut:
        """Update a webhook."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/webhooks/{webhook_id}", webhook_id),
            body=fields,
            options=options,
        )


class AsyncWebhooks:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.WebhookIn]
    ) -> types.NewWebhookOut:
        """Register a webhook."""
        return await self._transport.call("POST", "/v1/webhooks", body=fields, options=options)

    async def delete(
        self, webhook_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a webhook."""
        return await self._transport.call(
            "DELETE", fill_path("/v1/webhooks/{webhook_id}", webhook_id), options=options
        )

    async def get(self, webhook_id: str, /, *, options: Options | None = None) -> types.WebhookOut:
        """Retrieve a webhook, without its secrets and header values."""
        return await self._transport.call(
            "GET", fill_path("/v1/webhooks/{webhook_id}", webhook_id), options=options
        )

    async def get_performance(
        self, webhook_id: str, /, *, options: Options | None = None
    ) -> types.PerformanceOut:
        """Retrieve the success rate and response times for the last 24 hours."""
        return await self._transport.call(
            "GET", fill_path("/v1/webhooks/{webhook_id}/performance", webhook_id), options=options
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[WebhooksListQuery]
    ) -> AsyncPages[types.WebhookOut]:
        """List the company's webhooks."""
        return self._transport.list_pages("/v1/webhooks", query=query, options=options)

    def list_deliveries(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[WebhooksListDeliveriesQuery],
    ) -> AsyncPages[types.DeliveryOut]:
        """List the deliveries to a webhook, newest first."""
        return self._transport.list_pages(
            fill_path("/v1/webhooks/{webhook_id}/deliveries", webhook_id),
            query=query,
            options=options,
        )

    async def ping(self, webhook_id: str, /, *, options: Options | None = None) -> types.PingOut:
        """Send a test ping, whatever the webhook's state, and return the result."""
        return await self._transport.call(
            "POST", fill_path("/v1/webhooks/{webhook_id}/ping", webhook_id), options=options
        )

    async def rotate_secret(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RotateIn],
    ) -> types.NewWebhookOut:
        """Create a new secret."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/webhooks/{webhook_id}/rotate-secret", webhook_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        webhook_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.WebhookChange],
    ) -> types.WebhookOut:
        """Update a webhook."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/webhooks/{webhook_id}", webhook_id),
            body=fields,
            options=options,
        )
