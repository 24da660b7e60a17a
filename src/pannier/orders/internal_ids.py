"""Internal ids of orders: unique per company, and accepted in place of an order's id."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import asyncpg
import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Table, Where
from pannier.errors import Conflict, FieldError, Unavailable
from pannier.orders.models import Order
from pannier.web.identifiers import INTERNAL_PREFIX

Row = TypeVar("Row", bound=msgspec.Struct)

SELECT_ORDER: Final = """select order_uuid from order_internal_ids
    where company = :company and internal_id = :held_internal_id"""
CLAIM: Final = """insert into order_internal_ids (company, internal_id, order_uuid)
    values (:company, :internal_id, :order) on conflict do nothing"""
LOCK_CLAIM: Final = """select order_uuid from order_internal_ids
    where company = :company and internal_id = :internal_id for update"""
# None if the order was canceled or deleted, or has another internal id now.
SELECT_HOLDER: Final = """select public_id from orders
    where company = :company and uuid = :holder and internal_id = :internal_id
        and deleted_at is null and canceled_at is null"""
TAKE_OVER: Final = """update order_internal_ids set order_uuid = :order
    where company = :company and internal_id = :internal_id"""
LOCK_TIMEOUT: Final = "5s"
# Each attempt follows the release of the internal id by another order.
MAX_CLAIM_ATTEMPTS: Final = 5


class InternalIdTaken(Conflict):
    """Another order of the company has the `internal_id`. The problem names it in `order`.

    A canceled order yields its number to a new order. It cannot be reopened while that one has it.
    """

    code, title = "internal_id_taken", "Another order has this internal id."
    remedy = "Send another one, or change, cancel or delete the other order first."


class InternalIdBusy(Unavailable):
    """A request waits up to five seconds for another one with the same `internal_id`."""

    code, title = "internal_id_busy", "Another request is using this internal id."
    remedy = "Send the request again after the time in `Retry-After`."


CLAIM_PROBLEMS: Final = (InternalIdTaken, InternalIdBusy)


class OrderTable(Table[Row]):
    """A table of orders, whose identifiers can also be `internal:` and an internal id."""

    def add_identifier(self, where: Where, identifier: str | UUID) -> Where:
        internal_id = parse_internal_id(identifier)
        return (
            where.add_identifier(identifier)
            if internal_id is None
            else where.add(
                f"uuid = ({SELECT_ORDER}) and internal_id = :held_internal_id",
                held_internal_id=internal_id,
            )
        )


def parse_internal_id(identifier: str | UUID) -> str | None:
    """Return the internal id that an identifier refers to, or None for another identifier."""
    if isinstance(identifier, UUID) or not identifier.startswith(INTERNAL_PREFIX):
        return None
    return identifier.removeprefix(INTERNAL_PREFIX)


async def resolve_internal_ids(db: Db, company: UUID, identifiers: Sequence[str]) -> list[str]:
    """Replace internal ids by the public ids of their orders. Other identifiers stay."""
    internal_ids = [name for name in map(parse_internal_id, identifiers) if name is not None]
    if not internal_ids:
        return list(identifiers)
    rows = await db.fetch_tuples(
        """select i.internal_id, o.public_id from order_internal_ids i join orders o
               on o.company = i.company and o.uuid = i.order_uuid
                   and o.internal_id = i.internal_id and o.deleted_at is null
           where i.company = :company and i.internal_id = any(:internal_ids)""",
        company=company,
        internal_ids=internal_ids,
    )
    public_ids = {f"{INTERNAL_PREFIX}{internal_id}": public_id for internal_id, public_id in rows}
    return [public_ids.get(identifier, identifier) for identifier in identifiers]


async def claim_changed_internal_id(db: Db, order: Order, changes: Mapping[str, Any]) -> None:
    """Claim the internal id in the changes of an order, unless the order has it already."""
    internal_id = changes.get("internal_id")
    if internal_id != order.internal_id:
        await claim_internal_id(db, order.company, internal_id, order.uuid)


async def claim_internal_id(db: Db, company: UUID, internal_id: str | None, order: UUID) -> None:
    """Claim an internal id for an order, or raise InternalIdTaken.

    A canceled order yields it. A concurrent request with the same internal id waits here until the
    first one ends. A trigger releases the internal id when the order is deleted or gets another
    one. It also keeps internal ids that need not be unique.
    """
    if not internal_id or not (await company_settings.load(db, company)).unique_internal_ids:
        return
    await db.execute(f"set local lock_timeout = '{LOCK_TIMEOUT}'")
    try:
        await _claim(db, company, internal_id, order)
    except asyncpg.LockNotAvailableError:
        raise InternalIdBusy from None
    await db.execute("set local lock_timeout = default")


async def _claim(db: Db, company: UUID, internal_id: str, order: UUID) -> None:
    values = {"company": company, "internal_id": internal_id}
    for _ in range(MAX_CLAIM_ATTEMPTS):
        claimed_count = await db.execute(CLAIM, **values, order=order)
        if claimed_count == 1:
            return
        # Locked, so that the holder is not reopened while another order takes its internal id.
        holder = await db.fetch_value(LOCK_CLAIM, **values)
        if holder is None:
            # The other order released it in between.
            continue
        if holder == order:
            return
        public_id = await db.fetch_value(SELECT_HOLDER, **values, holder=holder)
        if public_id is not None:
            message = f"The order {public_id} has this internal id."
            raise InternalIdTaken(fields=[FieldError("internal_id", message)], order=public_id)
        await db.execute(TAKE_OVER, **values, order=order)
        return
    raise InternalIdBusy
