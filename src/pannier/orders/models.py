"""Database rows of orders, configurations and tracking history."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.row import LocatedRow, MetaRow
from pannier.orders.activities import Activity
from pannier.orders.flow import AttemptOutcome
from pannier.orders.reasons import FailureReason
from pannier.payloads.models import HandoverRow
from pannier.routing.route import Source

# Fields that can change after an order was completed or canceled.
CHANGEABLE_WHEN_CLOSED: Final = frozenset({"internal_id", "notes", "meta"})
PartnerType = Literal["contact", "vendor"]
# Whether an order has no price, open quotes, or an accepted one.
PriceStatus = Literal["unpriced", "priced", "accepted"]
# `refunded` only if everything that was paid went back; `overpaid` only by recorded payments.
PaymentStatus = Literal["none", "unpaid", "partially_paid", "paid", "overpaid", "refunded"]
ConfigStatus = Literal["active", "inactive"]


class OrderConfig(MetaRow, kw_only=True):
    """A type of order: its flow, and the sub-flows that its stops may use."""

    key: str
    name: str
    description: str
    status: ConfigStatus
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    failure_reasons: list[FailureReason]
    flow_version: int


class ConfigVersion(msgspec.Struct):
    """One version of a configuration's flow. Orders keep the version they started with."""

    order_config: UUID
    number: int
    company: UUID
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    failure_reasons: list[FailureReason]
    created_at: datetime


class Order(HandoverRow, kw_only=True):
    """A delivery job. `activity` is its position in the flow, `status` its public status."""

    internal_id: str | None = None
    order_config: UUID
    flow_version: int
    type: str
    status: str
    activity: str
    payload: UUID
    customer: UUID | None = None
    customer_type: PartnerType | None = None
    # As the order described the customer. A contact may be renamed later.
    customer_name: str | None = None
    facilitator: UUID | None = None
    facilitator_type: PartnerType | None = None
    driver: UUID | None = None
    vehicle: UUID | None = None
    required_skills: list[str] = msgspec.field(default_factory=list)
    adhoc: bool = False
    adhoc_distance: int | None = None
    distance: int | None = None
    time: int | None = None
    route_source: Source | None = None
    # False while the routing engine still has to measure the route.
    route_firm: bool = True
    service_quote: str | None = None
    transaction: str | None = None
    price_status: PriceStatus = "unpriced"
    payment_status: PaymentStatus = "none"
    # Minor units that are still owed. Below zero, they are a credit.
    balance: int = 0
    # The currency of its transactions.
    currency: str | None = None
    # The fingerprint and the distance of the shipment whose price is owed.
    priced_shipment: bytes | None = None
    priced_distance: int | None = None
    # The delivered order whose items it brings back, and the returns of this order, by public id.
    return_of: str | None = None
    returns: list[str] = msgspec.field(default_factory=list)
    # The store in which a customer placed it.
    store: UUID | None = None
    # An order that is unpaid then is canceled.
    payment_deadline: datetime | None = None
    scheduled_at: datetime | None = None
    # The worker does not dispatch the order before this time. Any change of the order clears it.
    dispatch_after: datetime | None = None
    dispatched_at: datetime | None = None
    started_at: datetime | None = None
    # In an order without stops, whether the driver is at the pickup, or still has to go there, by
    # the steps of its flow; and whether these steps are done or were skipped.
    at_pickup: bool = False
    collected: bool = False
    completed_at: datetime | None = None
    canceled_at: datetime | None = None
    cancel_reason: str | None = None

    @property
    def open(self) -> bool:
        """Whether the order is neither completed nor canceled."""
        return self.completed_at is None and self.canceled_at is None

    @property
    def is_chargeable(self) -> bool:
        """Whether a quote can be accepted: while the order is open, or after a delivery attempt."""
        return self.open or self.completed_at is not None or self.undelivered is not None


class Occurrence(LocatedRow, kw_only=True):
    """An occurrence in the life of an order, with the actor who reported it."""

    order_uuid: UUID
    # By the reporting device's clock. `clock_skew`: seconds outside the possible range.
    occurred_at: datetime
    clock_skew: int | None = None
    actor_kind: Kind
    actor_id: str
    actor_name: str


class TrackingStatus(Occurrence, kw_only=True):
    """An entry in the history of an order or of one of its stops."""

    tracking_number: UUID
    code: str
    status: str
    details: str = ""
    complete: bool = False
    place: UUID | None = None
    manual: bool = False


class DeliveryAttempt(Occurrence, kw_only=True):
    """A failed delivery attempt, at a stop or for an order without stops."""

    waypoint: UUID | None = None
    # Counted from 1, for this stop.
    number: int
    reason: str
    # The reason's label at the time.
    label: str
    remarks: str | None = None
    # The planned outcome, or the dispatcher's later decision.
    outcome: AttemptOutcome
    decided_at: datetime | None = None
    # Public ids of the proofs captured during the attempt.
    proofs: list[str] = msgspec.field(default_factory=list)
