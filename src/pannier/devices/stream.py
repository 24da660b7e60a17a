"""The stream of device events, as server-sent events.

It follows the feed, and the id of each message is a position there. A client that reconnects with
the last id (`Last-Event-ID`) misses nothing and receives nothing twice, on any machine.
"""

from functools import partial
from typing import Final
from uuid import UUID

from pannier.db import Database, Db
from pannier.devices.events import cursors, feed
from pannier.devices.events.choice import Choice, chosen
from pannier.devices.events.cursors import Spot
from pannier.devices.events.names import Names
from pannier.devices.events.schemas import DeviceStreamFilters
from pannier.devices.store import CHANNEL
from pannier.web import following as streams
from pannier.web.exchange import Exchange
from pannier.web.following import Look
from pannier.web.spelling import encode
from pannier.web.streams import Streamed

PAGE: Final = 200


async def following(
    exchange: Exchange, db: Db, company: UUID, filters: DeviceStreamFilters
) -> Streamed:
    """Start a stream from the client's last position, or from now on."""
    told = streams.last_heard(exchange) or filters.after or "now"
    follower = Follower(
        exchange.edge.database,
        company,
        filters,
        await feed.spot(db, company, told),
        await chosen(db, company, filters),
    )
    return streams.answer(exchange, follower)


class Follower:
    """A reader of the feed for one client, from a position on."""

    channel = CHANNEL

    def __init__(
        self,
        database: Database,
        company: UUID,
        filters: DeviceStreamFilters,
        place: Spot,
        choice: Choice,
    ) -> None:
        self._database, self._company, self._filters = database, company, filters
        self._place, self._choice = place, choice

    async def look(self) -> Look:
        async with self._database.reading() as db:
            choosing = partial(self._chosen, db)
            fed = await feed.after(db, self._company, choosing, self._place, PAGE)
            rows = await Names(self._company).spelled(db, [row for _, row in fed.events])
        self._place = fed.next
        lines = (
            b"id: %b\ndata: %b\n\n" % (self._spelled(spot), encode(row))
            for (spot, _), row in zip(fed.events, rows, strict=True)
        )
        return Look(b"".join(lines), more=fed.more, waiting=fed.waiting)

    async def _chosen(self, db: Db) -> Choice:
        if self._filters.vehicle is not None:
            # The devices on a vehicle change over time.
            self._choice = await chosen(db, self._company, self._filters)
        return self._choice

    def beat(self) -> bytes:
        """Encode a keep-alive message with the cursor, which moves past filtered events too."""
        return b": here\nid: %b\n\n" % self._spelled(self._place)

    def _spelled(self, spot: Spot) -> bytes:
        return cursors.spot_text(self._database.keys, self._company, spot).encode()
