"""Filters for listing orders."""

from typing import Annotated, ClassVar

from msgspec import Meta

from pannier.db import PageIn
from pannier.fleet.schemas import DriverId, VehicleId
from pannier.orders.driver_days.stops import LateState
from pannier.orders.fields import (
    ConfigName,
    ContactId,
    InternalId,
    PayloadId,
    PlaceId,
    Status,
    VendorId,
)
from pannier.orders.models import PaymentStatus, PriceStatus
from pannier.web.identifiers import OrderReference
from pannier.web.times import Day, Moment


class OrderFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing orders."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "status")

    query: (
        Annotated[
            str,
            Meta(
                max_length=200,
                description="Search text: any part of the order's numbers, notes, the customer's "
                "name, an item, an address, or a phone number or e-mail address of the customer or "
                "at a stop. Case, accents and spacing do not matter. Searches for items, addresses "
                "and people find the newest orders of at most 1,000 matching records.",
                examples=["SO-2041"],
            ),
        ]
        | None
    ) = None
    id: (
        Annotated[
            list[OrderReference],
            Meta(
                max_length=100,
                description="Filter by identifier, tracking number or the company's own number.",
            ),
        ]
        | None
    ) = None
    status: Annotated[list[Status] | None, Meta(description="Any of these.")] = None
    type: Annotated[str | None, Meta(description="The configuration's key.")] = None
    order_config: ConfigName | None = None
    internal_id: InternalId | None = None
    driver: Annotated[DriverId | None, Meta(description="Assigned to this driver.")] = None
    vehicle: Annotated[VehicleId | None, Meta(description="Assigned to this vehicle.")] = None
    customer: ContactId | None = None
    facilitator: VendorId | None = None
    payload: PayloadId | None = None
    pickup: Annotated[PlaceId | None, Meta(description="Collected at this place.")] = None
    dropoff: Annotated[PlaceId | None, Meta(description="Delivered to this place.")] = None
    tracking: (
        Annotated[
            str,
            Meta(
                max_length=60,
                description="The tracking number of the order, a stop or an item.",
                examples=["ACM-7K4M-2XQ9-3TBC"],
            ),
        ]
        | None
    ) = None
    price_status: Annotated[list[PriceStatus] | None, Meta(description="Any of these.")] = None
    payment_status: Annotated[list[PaymentStatus] | None, Meta(description="Any of these.")] = None
    balance: Annotated[int | None, Meta(description="Exactly this balance.")] = None
    balance_min: Annotated[
        int | None, Meta(description="At least this balance, such as 1 for what is owed.")
    ] = None
    balance_max: Annotated[
        int | None, Meta(description="At most this balance, such as -1 for credits.")
    ] = None
    pod_required: bool | None = None
    adhoc: bool | None = None
    dispatched: bool | None = None
    started: bool | None = None
    active: Annotated[bool | None, Meta(description="Dispatched, and still open.")] = None
    unassigned: Annotated[bool | None, Meta(description="Only orders without a driver.")] = None
    scheduled: Annotated[
        bool | None, Meta(description="Whether the order is dispatched automatically.")
    ] = None
    attention: Annotated[
        bool | None,
        Meta(description="Open, and late, held or with an issue that is not resolved."),
    ] = None
    late: Annotated[
        bool | None,
        Meta(
            description="Open, and after the end of its time window, or after its scheduled time "
            "while it is not dispatched."
        ),
    ] = None
    held: Annotated[
        bool | None,
        Meta(description="Open, and on hold after a failed attempt until somebody decides."),
    ] = None
    failed_on: Annotated[
        Day | None,
        Meta(description="A delivery attempt failed on this day in the company's time zone."),
    ] = None
    completed_on: Annotated[
        Day | None, Meta(description="Completed on this day in the company's time zone.")
    ] = None
    on_time: Annotated[
        bool | None,
        Meta(description="Completed, and whether that was before the end of its time window."),
    ] = None
    forecast: Annotated[
        list[LateState] | None,
        Meta(
            description="Open, and by the ETA at a stop `late` for its time window, or `at_risk`: "
            "less than ten minutes before its end."
        ),
    ] = None
    on: Annotated[
        Day | None,
        Meta(
            description="Scheduled for this day in the company's time zone, "
            "or created on it when not scheduled."
        ),
    ] = None
    today: Annotated[
        bool | None,
        Meta(
            description="Open, and under way or due by the end of today in the company's time "
            "zone: by its schedule or time window, if it has one."
        ),
    ] = None
    since: Annotated[Moment | None, Meta(description="Created at or after this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Created before this moment.")] = None
    scheduled_since: Moment | None = None
    scheduled_until: Moment | None = None
