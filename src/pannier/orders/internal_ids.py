"""Internal ids of orders: unique per company, and accepted in place of an order's id."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec

from pannier.accounts.company_settings import queries as company_settings
from pannier.db import Db, Table, Where
from pannier.errors import Conflict, FieldError
from pannier.orders.models import Order
from pannier.web.identifiers import INTERNAL_PREFIX

Row = TypeVar("Row", bound=msgspec.Struct)

SELECT_ORDER: Final = """select order_uuid from order_internal_ids
    where company = :company and internal_id = :held_internal_id"""
SELECT_HOLDER: Final = """select i.order_uuid, o.public_id
    from order_internal_ids i left join orders o
        on o.company = i.company and o.uuid = i.order_uuid
            and o.internal_id = i.internal_id and o.deleted_at is null
    where i.company = :company and i.internal_id = :internal_id"""
RELEASE: Final = """delete from order_internal_ids
    where company = :company and internal_id = :internal_id and order_uuid = :order"""
# Each attempt follows the release of the internal id by another order.
MAX_CLAIM_ATTEMPTS: Final = 5


class _Holder(msgspec.Struct):
    order_uuid: UUID
    # None if the order no longer has the internal id.
    public_id: str | None


class InternalIdTaken(Conflict):
    """Another order of the company has the `internal_id`. The problem names it in `order`."""

    code, title = "internal_id_taken", "Another order has this internal id."
    remedy = "Send another one, or change or delete the other order first."


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

    A concurrent request with the same internal id waits here until the first one ends. A trigger
    releases the internal id when the order is deleted or gets another one. It also claims internal
    ids that need not be unique.
    """
    if not internal_id or not (await company_settings.load(db, company)).unique_internal_ids:
        return
    values = {"company": company, "internal_id": internal_id, "order": order}
    for _ in range(MAX_CLAIM_ATTEMPTS):
        claimed_count = await db.execute(
            """insert into order_internal_ids (company, internal_id, order_uuid)
               values (:company, :internal_id, :order) on conflict do nothing""",
            **values,
        )
        if claimed_count == 1:
            return
        holder = await db.find(_Holder, SELECT_HOLDER, company=company, internal_id=internal_id)
        if holder is None:
            # The other order released it in between.
            continue
        if holder.order_uuid == order:
            return
        if holder.public_id is not None:
            message = f"The order {holder.public_id} has this internal id."
            raise InternalIdTaken(
                fields=[FieldError("internal_id", message)], order=holder.public_id
            )
        # The order was deleted or changed while the migration filled the table.
        await db.execute(RELEASE, **values | {"order": holder.order_uuid})
    raise InternalIdTaken(fields=[FieldError("internal_id", InternalIdTaken.title)])
