"""Messages as the API shows them."""

from collections.abc import Sequence
from uuid import UUID

from pannier.conversations import photos
from pannier.conversations.models import DriverMessage
from pannier.conversations.queries import DRIVERS
from pannier.conversations.schemas import DriverMessageOut
from pannier.db import Db
from pannier.settings import Settings


async def load_message_outs(
    db: Db, settings: Settings, company: UUID, rows: Sequence[DriverMessage]
) -> dict[UUID, DriverMessageOut]:
    """Build the output of messages, by their UUIDs."""
    drivers = await DRIVERS.load_many(db, company, list({row.driver for row in rows}))
    photo_outs = await photos.load_photo_outs(db, settings, company, [row.uuid for row in rows])
    return {
        row.uuid: DriverMessageOut.from_row(
            row, drivers[row.driver].public_id, photo_outs.get(row.uuid, [])
        )
        for row in rows
    }


async def load_message_out(db: Db, settings: Settings, row: DriverMessage) -> DriverMessageOut:
    """Build the output of a message."""
    return (await load_message_outs(db, settings, row.company, [row]))[row.uuid]
