"""Database rows of payloads, stops, items and tracking numbers."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.row import MetaRow, SoftDeletedRow
from pannier.payloads.instructions import DeliveryInstructions
from pannier.payloads.ratings import DeliveryRating

State = Literal["open", "begun", "closed"]
StopType = Literal["pickup", "dropoff"]
PodMethod = Literal["scan", "signature", "photo", "sms"]
SubjectType = Literal["order", "waypoint", "entity"]
# An undelivered stop waits for a decision (`hold`), or its goods are returned (`return`).
Undelivered = Literal["hold", "return"]
CodMethod = Literal["card", "check", "cash", "bank_transfer"]
LengthUnit = Literal["mm", "cm", "m", "in", "ft", "yd"]
WeightUnit = Literal["g", "kg", "oz", "lb"]


class CashRow(MetaRow, kw_only=True):
    """Columns of cash on delivery, which payloads and items share."""

    cod_amount: int | None = None
    cod_currency: str | None = None
    cod_payment_method: CodMethod | None = None


class Payload(CashRow, kw_only=True):
    """The goods that an order moves, and their route."""

    order_uuid: UUID | None = None
    state: State = "open"
    type: str | None = None
    pickup: UUID | None = None
    dropoff: UUID | None = None
    return_place: UUID | None = None
    current_waypoint: UUID | None = None
    payment_method: str | None = None
    # For a payload without stops. Each stop has its own.
    cash_collected: bool = False


class HandoverRow(MetaRow, kw_only=True):
    """Columns of a delivery that orders and stops share: time window, proof and notes."""

    time_window_start: datetime | None = None
    time_window_end: datetime | None = None
    notes: str | None = None
    pod_required: bool = False
    pod_method: PodMethod | None = None
    # The number of failed attempts, and the resulting decision.
    attempts: int = 0
    undelivered: Undelivered | None = None
    delivery_instructions: DeliveryInstructions | None = None
    rating: DeliveryRating | None = None


class Waypoint(HandoverRow, kw_only=True):
    """A stop. `activity` is the last one recorded there."""

    payload: UUID
    position: int
    type: StopType = "dropoff"
    place: UUID
    contact: UUID | None = None
    # As the request described the contact, who may be renamed later.
    contact_name: str | None = None
    subflow: str | None = None
    service_time: int | None = None
    activity: str | None = None
    completed_at: datetime | None = None
    cod_amount: int | None = None
    cod_currency: str | None = None
    cod_payment_method: CodMethod | None = None
    cash_collected: bool = False

    @property
    def done(self) -> bool:
        """Whether nothing is left to do here: the stop is completed, or its goods are returned."""
        return self.completed_at is not None or self.undelivered == "return"


class Entity(CashRow, kw_only=True):
    """An item: one or several equal pieces. Measures and values are those of one piece.

    Amounts are in minor units of the currency. Cash on delivery is for all pieces together.
    """

    payload: UUID | None = None
    destination: UUID | None = None
    internal_id: str | None = None
    name: str
    type: str = "parcel"
    description: str | None = None
    sku: str | None = None
    quantity: int = 1
    expected_codes: list[str] = msgspec.field(default_factory=list)
    length: float | None = None
    width: float | None = None
    height: float | None = None
    dimensions_unit: LengthUnit = "cm"
    weight: float | None = None
    weight_unit: WeightUnit = "kg"
    declared_value: int | None = None
    price: int | None = None
    sale_price: int | None = None
    currency: str | None = None
    customer: UUID | None = None
    supplier: UUID | None = None


class TrackingNumber(SoftDeletedRow, kw_only=True):
    """The number by which an order, a stop or an item is tracked."""

    number: str
    order_uuid: UUID
    subject_type: SubjectType
    subject: UUID
    region: str | None = None
