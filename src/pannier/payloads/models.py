"""The rows of payloads."""

from datetime import datetime
from typing import Literal
from uuid import UUID

import msgspec

from pannier.db.row import KeptRow, OwnRow

State = Literal["open", "begun", "closed"]
StopType = Literal["pickup", "dropoff"]
PodMethod = Literal["scan", "signature", "photo", "sms"]
SubjectType = Literal["order", "waypoint", "entity"]
# What is not delivered waits for a decision, or goes back.
Undelivered = Literal["hold", "return"]
CodMethod = Literal["card", "check", "cash", "bank_transfer"]
LengthUnit = Literal["mm", "cm", "m", "in", "ft", "yd"]
WeightUnit = Literal["g", "kg", "oz", "lb"]


class Payload(OwnRow, kw_only=True):
    """What an order moves."""

    order_uuid: UUID | None = None
    state: State = "open"
    type: str | None = None
    pickup: UUID | None = None
    dropoff: UUID | None = None
    return_place: UUID | None = None
    current_waypoint: UUID | None = None
    cod_amount: int | None = None
    cod_currency: str | None = None
    cod_payment_method: CodMethod | None = None
    payment_method: str | None = None


class Handover(OwnRow, kw_only=True):
    """What is to be handed over: when, with which proof, and what to know about it."""

    time_window_start: datetime | None = None
    time_window_end: datetime | None = None
    notes: str | None = None
    pod_required: bool = False
    pod_method: PodMethod | None = None
    # How many attempts to hand it over failed, and what that came to.
    attempts: int = 0
    undelivered: Undelivered | None = None


class Waypoint(Handover, kw_only=True):
    """A stop; `activity` is the last one that happened there, `completed_at` when it was done."""

    payload: UUID
    position: int
    type: StopType = "dropoff"
    place: UUID
    contact: UUID | None = None
    subflow: str | None = None
    service_time: int | None = None
    activity: str | None = None
    completed_at: datetime | None = None

    @property
    def done(self) -> bool:
        """Whether nothing is left to do here: it is completed, or its goods go back."""
        return self.completed_at is not None or self.undelivered == "return"


class Entity(OwnRow, kw_only=True):
    """An item; money is in minor units of its currency."""

    payload: UUID | None = None
    destination: UUID | None = None
    internal_id: str | None = None
    name: str
    type: str = "parcel"
    description: str | None = None
    sku: str | None = None
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


class TrackingNumber(KeptRow, kw_only=True):
    """What an order, a stop or an item is followed by."""

    number: str
    order_uuid: UUID
    subject_type: SubjectType
    subject: UUID
    region: str | None = None
