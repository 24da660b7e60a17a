"""Pages of device events in the API's format."""

from functools import partial
from uuid import UUID

from pannier.db import Db
from pannier.devices.events import cursors, feed, queries
from pannier.devices.events.choice import resolve_choice
from pannier.devices.events.public_ids import PublicIdCache
from pannier.devices.events.schemas import DeviceEventFilters, DeviceEventOut
from pannier.web.lists import Listed, PageMeta


async def list_events(
    db: Db, company: UUID, filters: DeviceEventFilters, *, device: str | None = None
) -> Listed[DeviceEventOut]:
    """List events by time or by arrival, of one device if it is given."""
    if filters.after is not None:
        return await _list_feed(db, company, filters, filters.after, device)
    choice = await resolve_choice(db, company, filters, device=device)
    descending = filters.descending
    mark = None
    if filters.cursor is not None:
        mark = cursors.decode_cursor(
            db.database.keys, company, filters.cursor, descending=descending
        )
    found = await queries.load_page(
        db, choice, limit=filters.limit, after=mark, descending=descending
    )
    rows = await PublicIdCache(company).load_out(db, found.rows)
    if found.next is None:
        return Listed(rows, PageMeta(filters.limit, has_more=False, next_cursor=None))
    text = cursors.encode_cursor(db.database.keys, company, found.next, descending=descending)
    return Listed(rows, PageMeta(filters.limit, has_more=True, next_cursor=text))


async def _list_feed(
    db: Db, company: UUID, filters: DeviceEventFilters, after: str, device: str | None
) -> Listed[DeviceEventOut]:
    place = await feed.resolve_position(db, company, after)
    choosing = partial(resolve_choice, db, company, filters, device=device)
    fed = await feed.read_after(db, company, choosing, place, filters.limit)
    rows = await PublicIdCache(company).load_out(db, [row for _, row in fed.events])
    text = cursors.encode_position(db.database.keys, company, fed.next)
    return Listed(rows, PageMeta(filters.limit, has_more=fed.more, next_cursor=text))
