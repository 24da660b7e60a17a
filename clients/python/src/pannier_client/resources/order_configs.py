# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.order_configs`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class OrderConfigsListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`,
    `key`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search text for name and key."""
    key: str
    """Filter by key."""
    status: types.RecordStatus
    """Filter by status."""


class OrderConfigs:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderConfigIn]
    ) -> types.OrderConfigOut:
        """Create an order configuration."""
        return self._transport.call("POST", "/v1/order-configs", body=fields, options=options)

    def delete(
        self, order_config_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete an order configuration; orders keep the flow they started with."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            options=options,
        )

    def get(
        self, order_config_id: str, /, *, options: Options | None = None
    ) -> types.OrderConfigOut:
        """Retrieve an order configuration."""
        return self._transport.call(
            "GET",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            options=options,
        )

    def get_version(
        self, order_config_id: str, number: str, /, *, options: Options | None = None
    ) -> types.OrderConfigVersionOut:
        """Retrieve one version of an order configuration's flow."""
        return self._transport.call(
            "GET",
            fill_path(
                "/v1/order-configs/{order_config_id}/versions/{number}", order_config_id, number
            ),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrderConfigsListQuery]
    ) -> Pages[types.OrderConfigOut]:
        """List order configurations."""
        return self._transport.list_pages("/v1/order-configs", query=query, options=options)

    def update(
        self,
        order_config_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OrderConfigChange],
    ) -> types.OrderConfigOut:
        """Update an order configuration."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            body=fields,
            options=options,
        )


class AsyncOrderConfigs:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderConfigIn]
    ) -> types.OrderConfigOut:
        """Create an order configuration."""
        return await self._transport.call("POST", "/v1/order-configs", body=fields, options=options)

    async def delete(
        self, order_config_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete an order configuration; orders keep the flow they started with."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            options=options,
        )

    async def get(
        self, order_config_id: str, /, *, options: Options | None = None
    ) -> types.OrderConfigOut:
        """Retrieve an order configuration."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            options=options,
        )

    async def get_version(
        self, order_config_id: str, number: str, /, *, options: Options | None = None
    ) -> types.OrderConfigVersionOut:
        """Retrieve one version of an order configuration's flow."""
        return await self._transport.call(
            "GET",
            fill_path(
                "/v1/order-configs/{order_config_id}/versions/{number}", order_config_id, number
            ),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrderConfigsListQuery]
    ) -> AsyncPages[types.OrderConfigOut]:
        """List order configurations."""
        return self._transport.list_pages("/v1/order-configs", query=query, options=options)

    async def update(
        self,
        order_config_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OrderConfigChange],
    ) -> types.OrderConfigOut:
        """Update an order configuration."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/order-configs/{order_config_id}", order_config_id),
            body=fields,
            options=options,
        )
