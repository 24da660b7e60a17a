"""Event data of cash on delivery."""

from collections.abc import Mapping
from typing import Annotated, Final, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.cash.models import CashCollection
from pannier.cash.schemas import Amount, CollectionId
from pannier.db import Db
from pannier.events import outbox
from pannier.events.catalog import Name
from pannier.fleet.schemas import DriverId
from pannier.orders.fields import WaypointId
from pannier.payloads.models import CodMethod
from pannier.payloads.schemas import OrderId
from pannier.web.serialization import to_schema
from pannier.web.times import Time


class CashCollected(msgspec.Struct, kw_only=True):
    """A driver collected cash on delivery.

    Emitted by `POST /v1/orders/{order_id}/collect-cash`.
    """

    id: Annotated[CollectionId, Meta(description="The collection, by public id.")]
    public_id: Annotated[CollectionId, Meta(description="The same as `id`.")]
    uuid: Annotated[UUID, Meta(description="The UUID.")]
    order: Annotated[OrderId, Meta(description="The order, by public id.")]
    waypoint: Annotated[
        WaypointId | None, Meta(description="The stop, by public id, if the order has stops.")
    ]
    driver: Annotated[DriverId, Meta(description="The driver, by public id.")]
    amount_due: Annotated[Amount, Meta(description="The cash due, in minor units.")]
    amount: Annotated[Amount, Meta(description="The cash collected, in minor units.")]
    currency: Annotated[str, Meta(description="ISO 4217.", examples=["SGD"])]
    method: Annotated[CodMethod, Meta(description="How the recipient paid.")]
    collected_at: Annotated[Time, Meta(description="Time of the collection.")]
    created_at: Annotated[Time, Meta(description="Time of the report.")]

    @classmethod
    def from_row(cls, row: CashCollection, driver: str) -> Self:
        """Build the event data, with the driver's public id."""
        return to_schema(row, cls, order=row.order_id, waypoint=row.waypoint_id, driver=driver)


async def emit_collected(db: Db, row: CashCollection, driver: str) -> None:
    """Emit a collection in the sequence of its order's events."""
    data = CashCollected.from_row(row, driver)
    await outbox.emit(
        db, row.company, Name.CASH_COLLECTED, data, subject=row.public_id, thread=row.order_id
    )


SCHEMAS: Final[Mapping[Name, type[msgspec.Struct]]] = {Name.CASH_COLLECTED: CashCollected}
