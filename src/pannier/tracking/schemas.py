"""A delivery as its recipient sees it, on the page and in JSON.

Every field here was chosen. The sender, drivers' notes and other recipients' data have no field.
"""

from datetime import datetime
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import Spot
from pannier.web.spelling import spelled
from pannier.web.times import Time, stamp

Stage = Literal[
    "placed", "dispatched", "on_the_way", "next_stop", "delivered", "failed", "returning",
    "returned", "canceled",
]  # fmt: skip


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A status, in the reader's language."""

    code: str
    words: str
    at: datetime
    # The reason of a failed attempt.
    more: str = ""


class Door(msgspec.Struct, frozen=True, kw_only=True):
    """The destination, with just enough for the recipient to recognize it."""

    street: str | None
    town: str | None
    location: Spot | None


class Following(msgspec.Struct, kw_only=True):
    """Everything that the tracking page shows of a delivery."""

    number: str
    brand: str
    stage: Stage
    headline: str
    # What happens next after a failed attempt.
    note: str
    is_pickup: bool
    is_open: bool
    door: Door | None
    window: tuple[datetime | None, datetime | None]
    eta: datetime | None
    position: Spot | None
    heading: float | None
    located_at: datetime | None
    steps: list[Step]


class StepOut(msgspec.Struct, kw_only=True):
    """A status of the delivery."""

    code: Annotated[str, Meta(examples=["enroute"])]
    status: Annotated[str, Meta(examples=["On the way to you"])]
    details: str
    at: Time


class FollowingOut(msgspec.Struct, kw_only=True):
    """The public data of a delivery, for embedding."""

    tracking_number: str
    brand: str
    stage: Stage
    status: str
    details: str
    street: str | None
    town: str | None
    time_window_start: Time | None
    time_window_end: Time | None
    eta: Time | None
    position: Spot | None
    heading: float | None
    located_at: Time | None
    timeline: list[StepOut]

    @classmethod
    def of(cls, shown: Following) -> "FollowingOut":
        start, until = shown.window
        return spelled(
            shown,
            cls,
            tracking_number=shown.number,
            status=shown.headline,
            details=shown.note,
            street=shown.door.street if shown.door else None,
            town=shown.door.town if shown.door else None,
            time_window_start=stamp(start),
            time_window_end=stamp(until),
            timeline=[
                StepOut(code=step.code, status=step.words, details=step.more, at=stamp(step.at))
                for step in shown.steps
            ],
        )
