# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.recurring_orders`."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class RecurringOrdersListQuery(TypedDict, total=False):
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


class RecurringOrdersListDaysQuery(TypedDict, total=False):
    """Parameters of `list_days`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `day`."""
    created_since: str | datetime
    """Return only those created at or after this time."""


class RecurringOrders:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(
        self, *, options: Options | None = None, **fields: Unpack[types.RecurringOrderIn]
    ) -> types.RecurringOrderOut:
        """Begin a recurring order: the worker creates orders by a rule of days."""
        return self._transport.call("POST", "/v1/recurring-orders", body=fields, options=options)

    def create_order(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringDayIn],
    ) -> types.RecurringOrderOut:
        """Create the order of a day now, even if it was refused or skipped before."""
        return self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/create-order", recurring_order_id),
            body=fields,
            options=options,
        )

    def delete(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a recurring order and the record of its days."""
        return self._transport.call(
            "DELETE",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            options=options,
        )

    def end(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """End a recurring order for good."""
        return self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/end", recurring_order_id),
            options=options,
        )

    def get(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Retrieve a recurring order."""
        return self._transport.call(
            "GET",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            options=options,
        )

    def get_next_days(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RuleDatesOut:
        """List the next days without an order."""
        return self._transport.call(
            "GET",
            fill_path("/v1/recurring-orders/{recurring_order_id}/next-days", recurring_order_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[RecurringOrdersListQuery]
    ) -> Pages[types.RecurringOrderOut]:
        """List recurring orders."""
        return self._transport.list_pages("/v1/recurring-orders", query=query, options=options)

    def list_days(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[RecurringOrdersListDaysQuery],
    ) -> Pages[types.RecurringDayOut]:
        """List the days that were decided: their orders, or why there is none."""
        return self._transport.list_pages(
            fill_path("/v1/recurring-orders/{recurring_order_id}/days", recurring_order_id),
            query=query,
            options=options,
        )

    def pause(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Pause a recurring order."""
        return self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/pause", recurring_order_id),
            options=options,
        )

    def preview(
        self, *, options: Options | None = None, **fields: Unpack[types.RulePreviewIn]
    ) -> types.RuleDatesOut:
        """Describe a rule in words, and list its next days."""
        return self._transport.call(
            "POST", "/v1/recurring-orders/preview", body=fields, options=options
        )

    def resume(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Resume a recurring order from today on."""
        return self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/resume", recurring_order_id),
            options=options,
        )

    def skip(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringDayIn],
    ) -> types.RecurringOrderOut:
        """Skip one day: a day to come, or one whose order was refused."""
        return self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/skip", recurring_order_id),
            body=fields,
            options=options,
        )

    def update(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringOrderChange],
    ) -> types.RecurringOrderOut:
        """Update a recurring order."""
        return self._transport.call(
            "PATCH",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            body=fields,
            options=options,
        )


class AsyncRecurringOrders:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def create(
        self, *, options: Options | None = None, **fields: Unpack[types.RecurringOrderIn]
    ) -> types.RecurringOrderOut:
        """Begin a recurring order: the worker creates orders by a rule of days."""
        return await self._transport.call(
            "POST", "/v1/recurring-orders", body=fields, options=options
        )

    async def create_order(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringDayIn],
    ) -> types.RecurringOrderOut:
        """Create the order of a day now, even if it was refused or skipped before."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/create-order", recurring_order_id),
            body=fields,
            options=options,
        )

    async def delete(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecordDeleted:
        """Delete a recurring order and the record of its days."""
        return await self._transport.call(
            "DELETE",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            options=options,
        )

    async def end(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """End a recurring order for good."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/end", recurring_order_id),
            options=options,
        )

    async def get(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Retrieve a recurring order."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            options=options,
        )

    async def get_next_days(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RuleDatesOut:
        """List the next days without an order."""
        return await self._transport.call(
            "GET",
            fill_path("/v1/recurring-orders/{recurring_order_id}/next-days", recurring_order_id),
            options=options,
        )

    def list(
        self, *, options: Options | None = None, **query: Unpack[RecurringOrdersListQuery]
    ) -> AsyncPages[types.RecurringOrderOut]:
        """List recurring orders."""
        return self._transport.list_pages("/v1/recurring-orders", query=query, options=options)

    def list_days(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[RecurringOrdersListDaysQuery],
    ) -> AsyncPages[types.RecurringDayOut]:
        """List the days that were decided: their orders, or why there is none."""
        return self._transport.list_pages(
            fill_path("/v1/recurring-orders/{recurring_order_id}/days", recurring_order_id),
            query=query,
            options=options,
        )

    async def pause(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Pause a recurring order."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/pause", recurring_order_id),
            options=options,
        )

    async def preview(
        self, *, options: Options | None = None, **fields: Unpack[types.RulePreviewIn]
    ) -> types.RuleDatesOut:
        """Describe a rule in words, and list its next days."""
        return await self._transport.call(
            "POST", "/v1/recurring-orders/preview", body=fields, options=options
        )

    async def resume(
        self, recurring_order_id: str, /, *, options: Options | None = None
    ) -> types.RecurringOrderOut:
        """Resume a recurring order from today on."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/resume", recurring_order_id),
            options=options,
        )

    async def skip(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringDayIn],
    ) -> types.RecurringOrderOut:
        """Skip one day: a day to come, or one whose order was refused."""
        return await self._transport.call(
            "POST",
            fill_path("/v1/recurring-orders/{recurring_order_id}/skip", recurring_order_id),
            body=fields,
            options=options,
        )

    async def update(
        self,
        recurring_order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.RecurringOrderChange],
    ) -> types.RecurringOrderOut:
        """Update a recurring order."""
        return await self._transport.call(
            "PATCH",
            fill_path("/v1/recurring-orders/{recurring_order_id}", recurring_order_id),
            body=fields,
            options=options,
        )
