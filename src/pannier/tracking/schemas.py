"""A delivery as its recipient sees it, on the page and in JSON.

Every field is an explicit choice. The sender, drivers' notes and data of other recipients have no
field.
"""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import PointOut
from pannier.web.serialization import to_schema
from pannier.web.times import Time, to_rfc3339

Stage = Literal[
    "placed", "dispatched", "on_the_way", "next_stop", "delivered", "failed", "returning",
    "returned", "canceled",
]  # fmt: skip


class TrackingStep(msgspec.Struct, frozen=True, kw_only=True):
    """A status in the reader's language."""

    code: str
    label: str
    at: datetime
    # The reason of a failed attempt.
    details: str = ""


class DeliveryAddress(msgspec.Struct, frozen=True, kw_only=True):
    """The destination, with just enough for the recipient to recognize it."""

    street: str | None
    town: str | None
    location: PointOut | None


class ParcelView(msgspec.Struct, kw_only=True):
    """The content of a delivery's tracking page."""

    number: str
    # The company's own number of the order, or else `number`.
    order_number: str
    brand: str
    stage: Stage
    headline: str
    # The next step after a failed attempt.
    note: str
    is_pickup: bool
    is_open: bool
    address: DeliveryAddress | None
    window: tuple[datetime | None, datetime | None]
    eta: datetime | None
    position: PointOut | None
    heading: float | None
    located_at: datetime | None
    steps: list[TrackingStep]


class StepOut(msgspec.Struct, kw_only=True):
    """A status of the delivery."""

    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way to you"])]
    details: str
    at: Time


class TrackedParcelOut(msgspec.Struct, kw_only=True):
    """The public data of a delivery, for embedding."""

    tracking_number: str
    order_number: Annotated[
        str,
        Meta(
            description="The company's own number of the order, or else the tracking number.",
            examples=["SO-2041"],
        ),
    ]
    brand: str
    stage: Stage
    status: str
    details: str
    street: str | None
    town: str | None
    time_window_start: Time | None
    time_window_end: Time | None
    eta: Time | None
    position: PointOut | None
    heading: float | None
    located_at: Time | None
    timeline: list[StepOut]

    @classmethod
    def from_view(cls, view: ParcelView) -> "TrackedParcelOut":
        start, end = view.window
        return to_schema(
            view,
            cls,
            tracking_number=view.number,
            status=view.headline,
            details=view.note,
            street=view.address.street if view.address else None,
            town=view.address.town if view.address else None,
            time_window_start=to_rfc3339(start),
            time_window_end=to_rfc3339(end),
            timeline=[
                StepOut(
                    code=step.code, status=step.label, details=step.details, at=to_rfc3339(step.at)
                )
                for step in view.steps
            ],
        )
