"""JSON schemas of returns."""

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


class ReturnableItem(msgspec.Struct, kw_only=True):
    """An item of a delivered order, and how many of its pieces can still be returned."""

    entity: Annotated[
        EntityId | None,
        Meta(description="Null for the whole of an order that has no items."),
    ]
    name: Annotated[str | None, Meta(examples=["Coffee machine"])]
    delivered: Annotated[int, Meta(description="The number of pieces.", examples=[3])]
    returned: Annotated[
        int,
        Meta(description="The pieces in returns of the order that are not canceled.", examples=[1]),
    ]
    returnable: Annotated[int, Meta(description="The pieces that are left.", examples=[2])]
