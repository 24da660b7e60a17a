"""JSON request for a duplicate."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.orders.fields import InternalId
from pannier.web.times import Day


class DuplicateIn(msgspec.Struct, kw_only=True):
    """What differs from the earlier order."""

    example: ClassVar = {"internal_id": "SO-2042"}
    day: Annotated[
        Day | None,
        Meta(
            description="Moves the schedule and the time windows to this day, with the same times "
            "of day in the company's time zone. Without it, they are left out."
        ),
    ] = None
    internal_id: InternalId | None = None
    driver: DriverId | None = None
