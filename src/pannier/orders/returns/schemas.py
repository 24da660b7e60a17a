"""JSON request for a return."""

from typing import Annotated, ClassVar

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.payloads.schemas import MAX_ENTITIES, EntityId, Notes, Quantity
from pannier.web.times import Moment


class ReturnItemIn(msgspec.Struct, kw_only=True):
    """An item of the delivered order, and how many of its pieces go back."""

    entity: EntityId
    quantity: (
        Annotated[
            Quantity,
            Meta(description="The number of pieces. Defaults to all that can still be returned."),
        ]
        | None
    ) = None


class ReturnIn(msgspec.Struct, kw_only=True):
    """What goes back, and when."""

    example: ClassVar = {"reason": "Wrong size.", "scheduled_at": "2026-03-02T08:00:00Z"}
    items: (
        Annotated[
            list[ReturnItemIn],
            Meta(
                min_length=1,
                max_length=MAX_ENTITIES,
                description="Defaults to everything that can still be returned.",
            ),
        ]
        | None
    ) = None
    reason: (
        Annotated[
            Notes, Meta(description="Becomes the `notes` of the return.", examples=["Wrong size."])
        ]
        | None
    ) = None
    scheduled_at: Moment | None = None
    driver: DriverId | None = None
