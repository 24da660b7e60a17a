"""The rows of orders."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.db.actor import Kind
from pannier.db.row import LocatedRow, OwnRow
from pannier.orders.flow import Activity, Then
from pannier.orders.reasons import FailureReason
from pannier.payloads.models import Handover
from pannier.routing.route import Source

# Fields of an order that can be changed after it was completed or canceled.
CHANGEABLE_WHEN_CLOSED: Final = frozenset({"internal_id", "notes", "meta"})
PartnerType = Literal["contact", "vendor"]
# Whether an order has no price, prices to choose from, or one that is owed.
PriceStatus = Literal["unpriced", "priced", "accepted"]
ConfigStatus = Literal["active", "inactive"]


class OrderConfig(OwnRow, kw_only=True):
    """A kind of order: its flow, and the sub-flows its stops may name."""

    key: str
    name: str
    description: str
    status: ConfigStatus
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    failure_reasons: list[FailureReason]
    flow_version: int


class ConfigVersion(msgspec.Struct):
    """A flow as it was when orders began with it."""

    order_config: UUID
    number: int
    company: UUID
    flow: list[Activity]
    subflows: dict[str, list[Activity]]
    failure_reasons: list[FailureReason]
    created_at: datetime


class Order(Handover, kw_only=True):
    """Something to be moved; `activity` is where its flow stands, `status` what people are told."""

    internal_id: str | None = None
    order_config: UUID
    flow_version: int
    type: str
    status: str
    activity: str
    payload: UUID
    customer: UUID | None = None
    customer_type: PartnerType | None = None
    facilitator: UUID | None = None
    facilitator_type: PartnerType | None = None
    driver: UUID | None = None
    vehicle: UUID | None = None
    adhoc: bool = False
    adhoc_distance: int | None = None
    distance: int | None = None
    time: int | None = None
    route_source: Source | None = None
    service_quote: str | None = None
    transaction: str | None = None
    price_status: PriceStatus = "unpriced"
    scheduled_at: datetime | None = None
    # Until when the worker does not look at it, though it is due; a change ends that.
    dispatch_after: datetime | None = None
    dispatched_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    canceled_at: datetime | None = None
    cancel_reason: str | None = None

    @property
    def open(self) -> bool:
        """Whether anything can still happen to it."""
        return self.completed_at is None and self.canceled_at is None

    @property
    def is_chargeable(self) -> bool:
        """Whether a price can be accepted: while it is open, or once delivery was tried."""
        return self.open or self.completed_at is not None or self.undelivered is not None


class Occurrence(LocatedRow, kw_only=True):
    """Something of an order that happened, and who says so."""

    order_uuid: UUID
    # By the clock of the device that told it, and how far that was beyond what can be.
    occurred_at: datetime
    clock_skew: int | None = None
    actor_kind: Kind
    actor_id: str
    actor_name: str


class TrackingStatus(Occurrence, kw_only=True):
    """Something that happened to an order, or at one of its stops."""

    tracking_number: UUID
    code: str
    status: str
    details: str = ""
    complete: bool = False
    place: UUID | None = None
    manual: bool = False


class DeliveryAttempt(Occurrence, kw_only=True):
    """An attempt to hand something over that failed, at a stop or of an order without stops."""

    waypoint: UUID | None = None
    # Which attempt there it was, from 1.
    number: int
    reason: str
    # As the reason was called then.
    label: str
    remarks: str | None = None
    # What was to happen; what somebody decided later, once they have.
    outcome: Then
    decided_at: datetime | None = None
    # Proofs that were captured there, by public id.
    proofs: list[str] = msgspec.field(default_factory=list)
