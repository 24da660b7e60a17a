"""Pages of device events in the API's format."""

from functools import partial
from uuid import UUID

from pannier.db import Db
from pannier.devices.events import cursors, feed, queries
from pannier.devices.events.choice import chosen
from pannier.devices.events.names import Names
from pannier.devices.events.schemas import DeviceEventFilters, DeviceEventOut
from pannier.web.lists import Listed, PageMeta


async def listed(
    db: Db, company: UUID, asked: DeviceEventFilters, *, device: str | None = None
) -> Listed[DeviceEventOut]:
    """List events by time or by arrival, of one device if it is given."""
    if asked.after is not None:
        return await _fed(db, company, asked, asked.after, device)
    choice = await chosen(db, company, asked, device=device)
    way = asked.descending
    mark = None
    if asked.cursor is not None:
        mark = cursors.read_cursor(db.database.keys, company, asked.cursor, descending=way)
    found = await queries.page(db, choice, limit=asked.limit, after=mark, descending=way)
    rows = await Names(company).spelled(db, found.rows)
    if found.next is None:
        return Listed(rows, PageMeta(asked.limit, has_more=False, next_cursor=None))
    text = cursors.cursor(db.database.keys, company, found.next, descending=way)
    return Listed(rows, PageMeta(asked.limit, has_more=True, next_cursor=text))


async def _fed(
    db: Db, company: UUID, asked: DeviceEventFilters, told: str, device: str | None
) -> Listed[DeviceEventOut]:
    place = await feed.spot(db, company, told)
    choosing = partial(chosen, db, company, asked, device=device)
    fed = await feed.after(db, company, choosing, place, asked.limit)
    rows = await Names(company).spelled(db, [row for _, row in fed.events])
    text = cursors.spot_text(db.database.keys, company, fed.next)
    return Listed(rows, PageMeta(asked.limit, has_more=fed.more, next_cursor=text))
