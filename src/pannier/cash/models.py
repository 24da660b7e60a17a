"""Rows of the cash desk. Amounts are whole minor units of their currency."""

from datetime import datetime
from typing import Final
from uuid import UUID

from pannier.db.actor import Kind
from pannier.db.row import VersionedRow
from pannier.orders.models import PartnerType
from pannier.payloads.models import CodMethod

# With the other methods, the money does not pass through the driver's hands.
CARRIED_METHODS: Final[tuple[CodMethod, ...]] = ("cash", "check")


class ActorRow(VersionedRow, kw_only=True):
    """A row that names its actor."""

    actor_kind: Kind
    actor_id: str
    actor_name: str


class CashCollection(ActorRow, kw_only=True):
    """The cash that was collected at a stop, at most once."""

    order_uuid: UUID
    # The public id of the order, which outlives it.
    order_id: str
    # None for an order without stops.
    waypoint: UUID | None = None
    waypoint_id: str | None = None
    driver: UUID
    # The order's customer at that time.
    customer: UUID | None = None
    customer_type: PartnerType | None = None
    amount_due: int
    amount: int
    currency: str
    method: CodMethod
    reason: str | None = None
    collected_at: datetime
    clock_skew: int | None = None
    # The UUID that the driver's app chose.
    client_uuid: UUID | None = None
    hand_in: UUID | None = None
    remittance: UUID | None = None


class CashHandIn(ActorRow, kw_only=True):
    """A driver's hand-in: the expected cash, and the cash that was counted."""

    driver: UUID
    currency: str
    collections: int
    expected_amount: int
    counted_amount: int
    # Counted minus expected.
    difference: int
    remarks: str | None = None


class CashRemittance(ActorRow, kw_only=True):
    """Collected cash that was passed on to a merchant."""

    customer: UUID
    customer_type: PartnerType
    currency: str
    collections: int
    amount: int
    reference: str | None = None
