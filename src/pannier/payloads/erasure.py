"""Erasure and export of a person's stops and items."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, columns
from pannier.payloads.models import Entity, Waypoint

# Stops `w` and items `e` of contacts in payloads without an order. Ownership follows the same rule
# as in orders: a stop without a contact belongs to the customers of its items, and an item without
# a customer to the contact of its stop.
_ORDERLESS_STOPS: Final = """waypoints w join payloads p on p.uuid = w.payload
    where w.company = :company and p.order_uuid is null and w.uuid = any(array(
        select uuid from waypoints where company = :company and contact = any(:contacts)
        union select i.destination from entities i join waypoints d on d.uuid = i.destination
        where i.company = :company and i.customer = any(:contacts) and i.deleted_at is null
          and d.contact is null))"""
_ORDERLESS_ITEMS: Final = f"""entities e left join payloads p on p.uuid = e.payload
    where e.company = :company and p.order_uuid is null and e.uuid = any(array(
        select uuid from entities where company = :company and customer = any(:contacts)
        union select i.uuid from (select w.uuid, w.payload from {_ORDERLESS_STOPS}) s
        join entities i on i.payload = s.payload and i.destination = s.uuid
        where i.customer is null and i.deleted_at is null))"""


async def erase_payload(db: Db, company: UUID, payload: UUID) -> list[str]:
    """Erase the metadata of a payload; return its public id."""
    return await _erase_rows(
        db,
        """update payloads set meta = '{}', updated_at = :now, version = version + 1
           where company = :company and uuid = any(:uuids) returning public_id""",
        company,
        [payload],
    )


async def erase_stops(db: Db, company: UUID, stops: Sequence[UUID]) -> list[str]:
    """Erase the notes and metadata of stops; return their public ids."""
    return await _erase_rows(
        db,
        """update waypoints set notes = null, meta = '{}', contact_name = null,
               delivery_instructions = null, rating = null, updated_at = :now,
               version = version + 1
           where company = :company and uuid = any(:uuids) returning public_id""",
        company,
        stops,
    )


async def erase_items(db: Db, company: UUID, items: Sequence[UUID]) -> list[str]:
    """Erase the descriptions and metadata of items; return their public ids."""
    return await _erase_rows(
        db,
        """update entities set description = null, meta = '{}', updated_at = :now,
               version = version + 1
           where company = :company and uuid = any(:uuids) returning public_id""",
        company,
        items,
    )


async def _erase_rows(db: Db, statement: str, company: UUID, uuids: Sequence[UUID]) -> list[str]:
    rows = await db.fetch_tuples(statement, company=company, uuids=list(uuids), now=db.now)
    return [public_id for (public_id,) in rows]


async def list_orderless_stops(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[Waypoint]:
    """List the stops of contacts in payloads without an order, oldest first."""
    return await db.fetch_all(
        Waypoint,
        f"select {columns(Waypoint, 'w')} from {_ORDERLESS_STOPS} order by w.created_at",
        company=company,
        contacts=contacts,
    )


async def list_orderless_items(db: Db, company: UUID, contacts: Sequence[UUID]) -> list[Entity]:
    """List the items of contacts outside of any order, oldest first."""
    return await db.fetch_all(
        Entity,
        f"select {columns(Entity, 'e')} from {_ORDERLESS_ITEMS} order by e.created_at",
        company=company,
        contacts=contacts,
    )


async def load_removed_stop_places(
    db: Db, company: UUID, payload: UUID, contacts: Sequence[UUID], *, with_unassigned: bool
) -> dict[UUID, UUID]:
    """Return the deleted stops of contacts in a payload, with their places.

    `with_unassigned` includes stops without a contact.
    """
    rows = await db.fetch_tuples(
        """select uuid, place from waypoints
           where company = :company and payload = :payload and deleted_at is not null
             and (contact = any(:contacts) or (:with_unassigned and contact is null))""",
        company=company,
        payload=payload,
        contacts=contacts,
        with_unassigned=with_unassigned,
    )
    return dict(rows)


async def list_removed_items(
    db: Db, company: UUID, payload: UUID, contacts: Sequence[UUID], *, with_unassigned: bool
) -> list[UUID]:
    """List the deleted items of contacts in a payload.

    `with_unassigned` includes items without a customer.
    """
    rows = await db.fetch_tuples(
        """select uuid from entities
           where company = :company and payload = :payload and deleted_at is not null
             and (customer = any(:contacts) or (:with_unassigned and customer is null))""",
        company=company,
        payload=payload,
        contacts=contacts,
        with_unassigned=with_unassigned,
    )
    return [uuid for (uuid,) in rows]
