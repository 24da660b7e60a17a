"""Erasure and export of what collections say about a person."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from pannier.cash.models import CashCollection
from pannier.db import Db, columns

_AT_STOPS: Final = """company = :company and order_uuid = :order
    and (waypoint = any(:stops) or (waypoint is null and :whole))"""


async def erase_collections(
    db: Db, company: UUID, order: UUID, stops: Sequence[UUID], *, is_whole_order: bool
) -> list[str]:
    """Erase the reasons of collections at the stops; return the collections' public ids.

    The amounts stay, because the money has to be accounted for. `is_whole_order` includes the
    collection of an order without stops.
    """
    rows = await db.fetch_tuples(
        f"""update cash_collections set reason = null, updated_at = :now, version = version + 1
            where {_AT_STOPS} returning public_id""",
        company=company,
        order=order,
        stops=stops,
        whole=is_whole_order,
        now=db.now,
    )
    return [public_id for (public_id,) in rows]


async def export_collections(
    db: Db, company: UUID, order: UUID, stops: Sequence[UUID], *, is_whole_order: bool
) -> list[CashCollection]:
    """Load the collections at the stops for an export, oldest first."""
    return await db.fetch_all(
        CashCollection,
        f"""select {columns(CashCollection)} from cash_collections
            where {_AT_STOPS} order by created_at, uuid""",
        company=company,
        order=order,
        stops=stops,
        whole=is_whole_order,
    )
