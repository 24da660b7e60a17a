# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.webhook_deliveries`."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalWebhookDeliveriesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

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
    webhook: str
    """Filter by webhook."""


class InternalWebhookDeliveries:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get(
        self, delivery_id: str, /, *, options: Options | None = None
    ) -> types.DeliveryDetailOut:
        """Retrieve a delivery with its body and all attempts."""
        return self._transport.call(
            "GET",
            fill_path("/int/v1/webhook-deliveries/{delivery_id}", delivery_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalWebhookDeliveriesListQuery]
    ) -> Pages[types.DeliveryOut]:
        """List the deliveries to all webhooks, newest first."""
        return self._transport.list_pages(
            "/int/v1/webhook-deliveries", query=query, options=options
        )

    def replay(self, delivery_id: str, /, *, options: Options | None = None) -> types.DeliveryOut:
        """Replay a delivery with the same ID and body, and restart its retry schedule."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/webhook-deliveries/{delivery_id}/replay", delivery_id),
            options=options,
        )

    def replay_many(
        self, *, options: Options | None = None, **fields: Unpack[types.ReplayIn]
    ) -> types.ReplayOut:
        """Replay deliveries, oldest first, or count them."""
        return self._transport.call(
            "POST", "/int/v1/webhook-deliveries/replay", body=fields, options=options
        )


class AsyncInternalWebhookDeliveries:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(
        self, delivery_id: str, /, *, options: Options | None = None
    ) -> types.DeliveryDetailOut:
        """Retrieve a delivery with its body and all attempts."""
        return await self._transport.call(
            "GET",
            fill_path("/int/v1/webhook-deliveries/{delivery_id}", delivery_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[InternalWebhookDeliveriesListQuery]
    ) -> AsyncPages[types.DeliveryOut]:
        """List the deliveries to all webhooks, newest first."""
        return self._transport.list_pages(
            "/int/v1/webhook-deliveries", query=query, options=options
        )

    async def replay(
        self, delivery_id: str, /, *, options: Options | None = None
    ) -> types.DeliveryOut:
        """Replay a delivery with the same ID and body, and restart its retry schedule."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/webhook-deliveries/{delivery_id}/replay", delivery_id),
            options=options,
        )

    async def replay_many(
        self, *, options: Options | None = None, **fields: Unpack[types.ReplayIn]
    ) -> types.ReplayOut:
        """Replay deliveries, oldest first, or count them."""
        return await self._transport.call(
            "POST", "/int/v1/webhook-deliveries/replay", body=fields, options=options
        )
