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
    """List events by time or by arrival, optionally of one device."""
    if filters.after is not None:
        return await _list_feed(db, company, filters, filters.after, device)
    selection = await resolve_choice(db, company, filters, device=device)
    descending = filters.descending
    event_ref = None
    if filters.cursor is not None:
        event_ref = cursors.decode_cursor(
            db.database.keys, company, filters.cursor, descending=descending
        )
    page = await queries.load_page(
        db, selection, limit=filters.limit, last_mark=event_ref, descending=descending
    )
    rows = await PublicIdCache(company).load_out(db, page.rows)
    if page.next is None:
        return Listed(rows, PageMeta(filters.limit, has_more=False, next_cursor=None))
    next_cursor = cursors.encode_cursor(db.database.keys, company, page.next, descending=descending)
    return Listed(rows, PageMeta(filters.limit, has_more=True, next_cursor=next_cursor))


async def _list_feed(
    db: Db, company: UUID, filters: DeviceEventFilters, cursor: str, device: str | None
) -> Listed[DeviceEventOut]:
    position = await feed.resolve_position(db, company, cursor)
    resolve_selection = partial(resolve_choice, db, company, filters, device=device)
    page = await feed.read_page(db, company, resolve_selection, position, filters.limit)
    rows = await PublicIdCache(company).load_out(db, [row for _, row in page.events])
    next_cursor = cursors.encode_position(db.database.keys, company, page.next)
    return Listed(rows, PageMeta(filters.limit, has_more=page.more, next_cursor=next_cursor))
