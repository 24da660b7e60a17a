# Written by clients/generator from the OpenAPI document. Run `make docs` instead.
"""The resources of `client.internal.orders`."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack

from pannier_client.pages import AsyncPages, Pages
from pannier_client.requests import Options, fill_path
from pannier_client.transport import AsyncTransport, Transport

if TYPE_CHECKING:
    from pannier_client import types


class InternalOrdersGetBoardQuery(TypedDict, total=False):
    """Parameters of `get_board`."""

    limit: int
    """Maximum number of cards per column."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    query: str
    """Search text: any part of the order's numbers, notes, the customer's name, an item, an
    address, or a phone number or e-mail address of the customer or at a stop. Case, accents and
    spacing do not matter. Searches for items, addresses and people find the newest orders of at
    most 1,000 matching records."""
    id: str | Sequence[str]
    """Filter by identifier, tracking number or the company's own number."""
    status: str | Sequence[str]
    """Any of these."""
    type: str
    """The configuration's key."""
    order_config: str
    """An order configuration, by identifier or key. Defaults to the company's."""
    internal_id: str
    """The company's own number. Unique, unless the company allows duplicates."""
    driver: str
    """Assigned to this driver."""
    vehicle: str
    """Assigned to this vehicle."""
    customer: str
    """A contact or vendor, by its identifier."""
    facilitator: str
    """A vendor or contact, by its identifier."""
    payload: str
    """Payload, by UUID or public id."""
    pickup: str
    """Collected at this place."""
    dropoff: str
    """Delivered to this place."""
    tracking: str
    """The tracking number of the order, a stop or an item."""
    price_status: types.PriceStatus | Sequence[types.PriceStatus]
    """Any of these."""
    payment_status: types.OrderPaymentStatus | Sequence[types.OrderPaymentStatus]
    """Any of these."""
    balance: int
    """Exactly this balance."""
    balance_min: int
    """At least this balance, such as 1 for what is owed."""
    balance_max: int
    """At most this balance, such as -1 for credits."""
    pod_required: bool
    """Return only orders that require proof; `false` returns the others."""
    adhoc: bool
    """Return only ad-hoc orders; `false` returns the others."""
    dispatched: bool
    """Return only dispatched orders; `false` returns the others."""
    started: bool
    """Return only started orders; `false` returns the others."""
    active: bool
    """Dispatched, and still open."""
    unassigned: bool
    """Only orders without a driver."""
    scheduled: bool
    """Whether the order is dispatched automatically."""
    attention: bool
    """Open, and late, held or with an issue that is not resolved."""
    late: bool
    """Open, and after the end of its time window, or after its scheduled time while it is not
    dispatched."""
    held: bool
    """Open, and on hold after a failed attempt until somebody decides."""
    failed_on: str
    """A delivery attempt failed on this day in the company's time zone."""
    completed_on: str
    """Completed on this day in the company's time zone."""
    on_time: bool
    """Completed, and whether that was before the end of its time window."""
    forecast: Literal["at_risk", "late"] | Sequence[Literal["at_risk", "late"]]
    """Open, and by the ETA at a stop `late` for its time window, or `at_risk`: less than ten
    minutes before its end."""
    on: str
    """Scheduled for this day in the company's time zone, or created on it when not scheduled."""
    today: bool
    """Open, and under way or due by the end of today in the company's time zone: by its schedule
    or time window, if it has one."""
    since: str | datetime
    """Created at or after this moment."""
    until: str | datetime
    """Created before this moment."""
    scheduled_since: str | datetime
    """RFC 3339, between the years 1970 and 2100."""
    scheduled_until: str | datetime
    """RFC 3339, between the years 1970 and 2100."""


class InternalOrdersListServiceQuotesQuery(TypedDict, total=False):
    """Parameters of `list_service_quotes`."""

    limit: int
    """Maximum number of results."""
    sort: str
    """Field to sort by; prefix it with `-` for descending order. One of `created_at`."""
    created_since: str | datetime
    """Return only those created at or after this time."""
    updated_since: str | datetime
    """Return only those created or changed at or after this time."""
    state: types.QuoteState
    """Filter by stored state; see also `status`."""


class InternalOrders:
    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def collect_cash(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CollectCashIn],
    ) -> types.CashCollectionOut:
        """Record cash on delivery that a driver collected."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/collect-cash", order_id),
            body=fields,
            options=options,
        )

    def create_charge(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ChargeIn]
    ) -> types.OrderChargesOut:
        """Charge an order, or credit it with a negative amount."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/charges", order_id),
            body=fields,
            options=options,
        )

    def get_board(
        self, *, options: Options | None = None, **query: Unpack[InternalOrdersGetBoardQuery]
    ) -> types.Board:
        """List orders in the columns of the board, with a count for each."""
        return self._transport.call("GET", "/int/v1/orders/board", query=query, options=options)

    def get_charges(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderChargesOut:
        """Show the account of an order: charges, payments and what is still owed."""
        return self._transport.call(
            "GET", fill_path("/int/v1/orders/{order_id}/charges", order_id), options=options
        )

    def get_forecasts(self, *, options: Options | None = None) -> types.ForecastCounts:
        """Count the open orders whose ETAs are late or at risk."""
        return self._transport.call("GET", "/int/v1/orders/forecasts", options=options)

    def list_service_quotes(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalOrdersListServiceQuotesQuery],
    ) -> Pages[types.OrderQuoteOut]:
        """List the quotes of an order, newest first, including replaced ones."""
        return self._transport.list_pages(
            fill_path("/int/v1/orders/{order_id}/service-quotes", order_id),
            query=query,
            options=options,
        )

    def override_proof(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OverrideIn],
    ) -> builtins.list[types.ProofOut]:
        """Allow an activity without its proofs."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/override-proof", order_id),
            body=fields,
            options=options,
        )

    def renew_service_quotes(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.OrderQuoteOut]:
        """Reprice an order and list its new quotes, cheapest first."""
        return self._transport.call(
            "POST", fill_path("/int/v1/orders/{order_id}/service-quotes", order_id), options=options
        )

    def unlock_sms_code(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CodesUnlocked:
        """Unlock SMS codes for a stop after too many wrong codes."""
        return self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/unlock-sms-code", order_id),
            options=options,
        )

    def unlock_sms_code_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> types.CodesUnlocked:
        """Unlock SMS codes for a stop after too many wrong codes."""
        return self._transport.call(
            "POST",
            fill_path(
                "/int/v1/orders/{order_id}/unlock-sms-code/{subject_id}", order_id, subject_id
            ),
            options=options,
        )


class AsyncInternalOrders:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def collect_cash(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.CollectCashIn],
    ) -> types.CashCollectionOut:
        """Record cash on delivery that a driver collected."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/collect-cash", order_id),
            body=fields,
            options=options,
        )

    async def create_charge(
        self, order_id: str, /, *, options: Options | None = None, **fields: Unpack[types.ChargeIn]
    ) -> types.OrderChargesOut:
        """Charge an order, or credit it with a negative amount."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/charges", order_id),
            body=fields,
            options=options,
        )

    async def get_board(
        self, *, options: Options | None = None, **query: Unpack[InternalOrdersGetBoardQuery]
    ) -> types.Board:
        """List orders in the columns of the board, with a count for each."""
        return await self._transport.call(
            "GET", "/int/v1/orders/board", query=query, options=options
        )

    async def get_charges(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.OrderChargesOut:
        """Show the account of an order: charges, payments and what is still owed."""
        return await self._transport.call(
            "GET", fill_path("/int/v1/orders/{order_id}/charges", order_id), options=options
        )

    async def get_forecasts(self, *, options: Options | None = None) -> types.ForecastCounts:
        """Count the open orders whose ETAs are late or at risk."""
        return await self._transport.call("GET", "/int/v1/orders/forecasts", options=options)

    def list_service_quotes(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **query: Unpack[InternalOrdersListServiceQuotesQuery],
    ) -> AsyncPages[types.OrderQuoteOut]:
        """List the quotes of an order, newest first, including replaced ones."""
        return self._transport.list_pages(
            fill_path("/int/v1/orders/{order_id}/service-quotes", order_id),
            query=query,
            options=options,
        )

    async def override_proof(
        self,
        order_id: str,
        /,
        *,
        options: Options | None = None,
        **fields: Unpack[types.OverrideIn],
    ) -> builtins.list[types.ProofOut]:
        """Allow an activity without its proofs."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/override-proof", order_id),
            body=fields,
            options=options,
        )

    async def renew_service_quotes(
        self, order_id: str, /, *, options: Options | None = None
    ) -> builtins.list[types.OrderQuoteOut]:
        """Reprice an order and list its new quotes, cheapest first."""
        return await self._transport.call(
            "POST", fill_path("/int/v1/orders/{order_id}/service-quotes", order_id), options=options
        )

    async def unlock_sms_code(
        self, order_id: str, /, *, options: Options | None = None
    ) -> types.CodesUnlocked:
        """Unlock SMS codes for a stop after too many wrong codes."""
        return await self._transport.call(
            "POST",
            fill_path("/int/v1/orders/{order_id}/unlock-sms-code", order_id),
            options=options,
        )

    async def unlock_sms_code_for_subject(
        self, order_id: str, subject_id: str, /, *, options: Options | None = None
    ) -> types.CodesUnlocked:
        """Unlock SMS codes for a stop after too many wrong codes."""
        return await self._transport.call(
            "POST",
            fill_path(
                "/int/v1/orders/{order_id}/unlock-sms-code/{subject_id}", order_id, subject_id
            ),
            options=options,
        )
