# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.order_templates`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class OrderTemplatesListQuery(TypedDict, total=False):
    """Parameters of `list`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`, `name`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """A part of the name."""


class OrderTemplates:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderTemplateIn]
    ) -> types.OrderTemplateOut:
        """Save an order as a template."""
        return self._transport.call("POST", "/v1/order-templates", body=fields, options=options)

    def create_order(
        self,
        order_template_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DuplicateIn],
    ) -> types.OrderOut:
        """Create an order from a template."""
        return self._transport.call(
            "POST",
            fill_path("/v1/order-templates/{order_template_id}/orders", order_template_id),
            body=fields,
            options=options,
        )

    def delete(
        self, order_template_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a template."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            options=options,
        )

    def get(
        self, order_template_id: str, /, *, options: Options | None = None
    ) -> types.OrderTemplateOut:
        """Retrieve an order template."""
        return self._transport.call(
            "GET",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrderTemplatesListQuery]
    ) -> Pages[types.OrderTemplateOut]:
        """List order templates."""
        return self._transport.list_pages("/v1/order-templates", query=query, options=options)

    def update(
        self,
        order_template_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OrderTemplateChange],
    ) -> types.OrderTemplateOut:
        """Rename a template, or copy another order to it."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            body=fields,
            options=options,
        )


class AsyncOrderTemplates:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.OrderTemplateIn]
    ) -> types.OrderTemplateOut:
        """Save an order as a template."""
        return await self._transport.call(
            "POST", "/v1/order-templates", body=fields, options=options
        )

    async def create_order(
        self,
        order_template_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.DuplicateIn],
    ) -> types.OrderOut:
        """Create an order from a template."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/order-templates/{order_template_id}/orders", order_template_id),
            body=fields,
            options=options,
        )

    async def delete(
        self, order_template_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a template."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            options=options,
        )

    async def get(
        self, order_template_id: str, /, *, options: Options | None = None
    ) -> types.OrderTemplateOut:
        """Retrieve an order template."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[OrderTemplatesListQuery]
    ) -> AsyncPages[types.OrderTemplateOut]:
        """List order templates."""
        return self._transport.list_pages("/v1/order-templates", query=query, options=options)

    async def update(
        self,
        order_template_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OrderTemplateChange],
    ) -> types.OrderTemplateOut:
        """Rename a template, or copy another order to it."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/order-templates/{order_template_id}", order_template_id),
            body=fields,
            options=options,
        )
