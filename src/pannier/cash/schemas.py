"""JSON schemas of the cash desk."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.cash.models import CashCollection, CashHandIn, CashRemittance
from pannier.db import PageIn
from pannier.fleet.schemas import DriverId, Occurred
from pannier.kit.wording import MESSAGE, MINOR_UNITS
from pannier.orders.fields import ClockSkew, ContactId, WaypointId
from pannier.orders.models import PartnerType
from pannier.payloads.cash_schemas import Currency
from pannier.payloads.models import CodMethod
from pannier.web.actors import ActorOut
from pannier.web.fields import Clearable
from pannier.web.former_names import former_name
from pannier.web.identifiers import OrderId, OrderReference
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema
from pannier.web.times import Moment, Time

# A driver's balance is a sum, so a single amount stays far below what a number can hold.
MAX_CASH_AMOUNT = 10**15

Amount = Annotated[int, Meta(description="In whole minor units of the currency.", examples=[5000])]
CashAmountIn = Annotated[
    int,
    Meta(
        ge=0,
        le=MAX_CASH_AMOUNT,
        description="In whole minor units of the currency.",
        examples=[5000],
        extra={MESSAGE: MINOR_UNITS},
    ),
]
Reason = Annotated[
    str, Meta(min_length=1, max_length=500, examples=["The recipient had no more cash."])
]
Remarks = Annotated[str, Meta(max_length=1000, examples=["A banknote was counterfeit."])]
Reference = Annotated[str, Meta(max_length=200, examples=["Bank transfer 2026-0142"])]
CollectionId = Annotated[str, Meta(examples=["collection_5KcWq8PzR3tYvB1n"])]
HandInId = Annotated[str, Meta(examples=["handin_2XdVb7NmQ4wErT9y"])]
RemittanceId = Annotated[str, Meta(examples=["remittance_8JhGf3DsA6qWeR1t"])]


class CollectCashIn(msgspec.Struct, kw_only=True):
    """Cash on delivery that was collected."""

    waypoint: Annotated[
        WaypointId | None,
        Meta(description="The stop. Defaults to the only one whose cash is not collected yet."),
    ] = None
    stop: Annotated[Clearable[WaypointId], former_name("waypoint")] = UNSET
    amount: CashAmountIn
    method: Annotated[
        CodMethod | None,
        Meta(description="Defaults to the method that the order names, or to `cash`."),
    ] = None
    reason: Annotated[
        Reason | None, Meta(description="Required if the amount differs from the cash due.")
    ] = None
    amount_due: Annotated[
        CashAmountIn | None,
        Meta(
            description="The cash due that the app has shown, with `currency`. With both, a late "
            "report counts although the cash due was changed meanwhile."
        ),
    ] = None
    currency: Annotated[
        Currency | None, Meta(description="The currency of `amount_due`, which requires it.")
    ] = None
    collection_uuid: Annotated[
        UUID | None,
        Meta(description="Chosen by the app. A repeated request gets the same answer."),
    ] = None
    collected_at: Occurred | None = None
    driver: Annotated[
        DriverId | None,
        Meta(
            description="The driver who has the cash. Defaults to the order's driver. Not for "
            "drivers."
        ),
    ] = None


class CashCollectionOut(ResourceOut, kw_only=True):
    """Cash on delivery that a driver collected."""

    id: CollectionId
    order: OrderId
    waypoint: WaypointId | None
    driver: DriverId
    customer: Annotated[str | None, Meta(description="The merchant: the order's customer.")]
    customer_type: PartnerType | None
    amount_due: Amount
    amount: Amount
    currency: Currency
    method: CodMethod
    reason: Reason | None
    collected_at: Time
    clock_skew: ClockSkew
    hand_in: Annotated[
        HandInId | None,
        Meta(description="The driver's hand-in. Null for cash that the driver still has."),
    ]
    remittance: RemittanceId | None
    actor: Annotated[ActorOut, Meta(description="The actor that reported the collection.")]

    @classmethod
    def from_row(cls, row: CashCollection, names: dict[UUID, str]) -> Self:
        """Build the output; `names` are the public ids of related records."""
        return to_schema(
            row,
            cls,
            order=row.order_id,
            waypoint=row.waypoint_id,
            driver=names[row.driver],
            customer=None if row.customer is None else names.get(row.customer),
            hand_in=None if row.hand_in is None else names[row.hand_in],
            remittance=None if row.remittance is None else names[row.remittance],
            actor=ActorOut.from_row(row),
        )


class CashBalanceOut(msgspec.Struct, kw_only=True):
    """A driver's cash in one currency."""

    currency: Currency
    balance: Annotated[int, Meta(description="Cash and checks to hand in.", examples=[5000])]
    collections: Annotated[
        list[CashCollectionOut],
        Meta(description="Collections that are not handed in, the newest 200."),
    ]


class DriverCashOut(msgspec.Struct, kw_only=True):
    """The cash that a driver has collected and not handed in, per currency."""

    driver: DriverId
    balances: list[CashBalanceOut]


class HandInIn(msgspec.Struct, kw_only=True):
    """The cash that a driver hands in, as counted."""

    currency: Currency
    counted_amount: CashAmountIn
    expected_amount: Annotated[
        CashAmountIn | None,
        Meta(
            description="The balance that you have seen. If the driver has collected more since, "
            "nothing is handed in."
        ),
    ] = None
    remarks: Remarks | None = None


class HandInOut(ResourceOut, kw_only=True):
    """A driver's hand-in of the cash in one currency."""

    id: HandInId
    driver: DriverId
    currency: Currency
    collections: Annotated[int, Meta(description="Number of collections.", examples=[12])]
    expected_amount: Amount
    counted_amount: Amount
    difference: Annotated[
        int,
        Meta(description="Counted minus expected: negative if cash is missing.", examples=[-500]),
    ]
    remarks: Remarks | None
    actor: Annotated[ActorOut, Meta(description="The actor that counted the cash.")]

    @classmethod
    def from_row(cls, row: CashHandIn, names: dict[UUID, str]) -> Self:
        return to_schema(row, cls, driver=names[row.driver], actor=ActorOut.from_row(row))


class RemittanceIn(msgspec.Struct, kw_only=True):
    """Cash to pass on to a merchant: all that was handed in and not remitted yet."""

    customer: Annotated[ContactId, Meta(description="The merchant: a customer, contact or vendor.")]
    currency: Currency
    expected_amount: Annotated[
        CashAmountIn | None,
        Meta(
            description="The amount that you have seen. If more was handed in since, nothing is "
            "remitted."
        ),
    ] = None
    reference: Reference | None = None


class RemittanceOut(ResourceOut, kw_only=True):
    """Collected cash that was passed on to a merchant."""

    id: RemittanceId
    customer: str
    customer_type: PartnerType
    currency: Currency
    collections: Annotated[int, Meta(description="Number of collections.", examples=[12])]
    amount: Amount
    reference: Reference | None
    actor: Annotated[ActorOut, Meta(description="The actor that remitted the cash.")]

    @classmethod
    def from_row(cls, row: CashRemittance, names: dict[UUID, str]) -> Self:
        return to_schema(row, cls, customer=names[row.customer], actor=ActorOut.from_row(row))


class DriverBalanceOut(msgspec.Struct, kw_only=True):
    """The cash of one driver in one currency."""

    driver: DriverId
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    currency: Currency
    balance: Amount
    collections: int
    since: Annotated[Time, Meta(description="Time of the oldest collection.")]


class PayableOut(msgspec.Struct, kw_only=True):
    """The cash of one merchant in one currency that can be remitted."""

    customer: str
    customer_type: PartnerType
    name: Annotated[str, Meta(examples=["Corner shop"])]
    currency: Currency
    amount: Amount
    collections: int


class CashBalancesOut(msgspec.Struct, kw_only=True):
    """The cash that drivers carry, and the cash to remit to merchants, at most 1,000 each."""

    drivers: list[DriverBalanceOut]
    customers: list[PayableOut]


class DifferenceOut(msgspec.Struct, kw_only=True):
    """The differences of one driver in one currency."""

    driver: DriverId
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]
    currency: Currency
    collections: Annotated[
        int, Meta(description="Number of collections of another amount than the cash due.")
    ]
    uncollected: Annotated[
        int,
        Meta(description="Total of the cash due minus the cash collected.", examples=[1000]),
    ]
    hand_ins: Annotated[int, Meta(description="Number of hand-ins with a difference.")]
    missing: Annotated[int, Meta(description="Total of the missing cash.", examples=[500])]
    surplus: Annotated[int, Meta(description="Total of the surplus cash.", examples=[0])]
    difference: Annotated[int, Meta(description="Surplus minus missing.", examples=[-500])]


class DifferenceFilters(msgspec.Struct, frozen=True, kw_only=True):
    """Filters for the report of differences."""

    driver: DriverId | None = None
    since: Annotated[Moment | None, Meta(description="Recorded at or after this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Recorded before this moment.")] = None


class HandInFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing hand-ins."""

    driver: DriverId | None = None
    currency: Currency | None = None
    has_difference: Annotated[
        bool | None, Meta(description="Only hand-ins whose count differs from what was expected.")
    ] = None
    since: Moment | None = None
    until: Moment | None = None


class CollectionFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing collections."""

    order: OrderReference | None = None
    driver: DriverId | None = None
    customer: ContactId | None = None
    currency: Currency | None = None
    handed_in: Annotated[
        bool | None, Meta(description="Whether the driver no longer has the cash.")
    ] = None
    remitted: bool | None = None
    has_difference: Annotated[
        bool | None,
        Meta(description="Only collections of another amount than the cash due."),
    ] = None
    since: Annotated[Moment | None, Meta(description="Recorded at or after this moment.")] = None
    until: Annotated[Moment | None, Meta(description="Recorded before this moment.")] = None


class RemittanceFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing remittances."""

    customer: ContactId | None = None
    currency: Currency | None = None
