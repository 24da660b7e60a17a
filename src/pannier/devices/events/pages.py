"""Pages of events as the doors answer them."""

from pannier.db import Db
from pannier.devices.events import cursors, feed, queries
from pannier.devices.events.choice import Choice
from pannier.devices.events.names import Names
from pannier.devices.events.schemas import DeviceEventFilters, DeviceEventOut
from pannier.web.lists import Listed, PageMeta


async def listed(db: Db, choice: Choice, asked: DeviceEventFilters) -> Listed[DeviceEventOut]:
    """List events by when they happened, or by when they came."""
    if asked.after is not None:
        return await _fed(db, choice, asked, asked.after)
    way = asked.descending
    mark = None
    if asked.cursor is not None:
        mark = cursors.read_cursor(db.database.keys, choice.company, asked.cursor, descending=way)
    found = await queries.page(db, choice, limit=asked.limit, after=mark, descending=way)
    rows = await Names(choice.company).spelled(db, found.rows)
    if found.next is None:
        return Listed(rows, PageMeta(asked.limit, has_more=False, next_cursor=None))
    text = cursors.cursor(db.database.keys, choice.company, found.next, descending=way)
    return Listed(rows, PageMeta(asked.limit, has_more=True, next_cursor=text))


async def _fed(
    db: Db, choice: Choice, asked: DeviceEventFilters, told: str
) -> Listed[DeviceEventOut]:
    place = await feed.spot(db, choice.company, told)
    fed = await feed.after(db, choice, place, asked.limit)
    rows = await Names(choice.company).spelled(db, [row for _, row in fed.events])
    text = cursors.spot_text(db.database.keys, choice.company, fed.next)
    return Listed(rows, PageMeta(asked.limit, has_more=fed.more, next_cursor=text))
