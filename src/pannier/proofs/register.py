"""A company's register of orders with proofs, and the check of all its chains.

A chain head reveals missing proofs; the register reveals missing heads. Each company's heads are
numbered without gaps, and the register signs their number.
"""

from collections.abc import AsyncIterator, Sequence
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from pannier.db import Db, columns
from pannier.kit.hooks import Hook
from pannier.proofs import integrity, queries, signing
from pannier.proofs.integrity import Chain
from pannier.proofs.models import Register
from pannier.proofs.signing import PublicKey, Signer
from pannier.web.times import to_rfc3339

BATCH_SIZE: Final = 500
_DOMAIN: Final = b"pannier register 1\n"


async def register_order(db: Db, company: UUID, signer: Signer) -> int:
    """Add an order to the register and return its number.

    The row lock serialises the company's registrations until commit, so a gap in the numbers always
    means that a head was removed.
    """
    number: int = await db.fetch_value(
        """insert into proof_registers (company, count, statement, signature, key_id)
           values (:company, 1, '', '', '')
           on conflict (company) do update set count = proof_registers.count + 1
           returning count""",
        company=company,
    )
    content = {"company": company, "count": number, "at": to_rfc3339(db.now)}
    statement = msgspec.json.encode(content, order="sorted")
    await db.execute(
        """update proof_registers set statement = :statement, signature = :signature,
           key_id = :key_id where company = :company""",
        company=company,
        statement=statement,
        signature=signer.sign(_DOMAIN + statement),
        key_id=signer.key_id,
    )
    return number


class _NumberedOrder(msgspec.Struct):
    number: int
    order_uuid: UUID


# Registered by the orders package: the public ids of orders.
load_order_names: Final = Hook[[Db, UUID, Sequence[UUID]], dict[UUID, str]]("pannier.orders.hooks")


async def find_faults(db: Db, company: UUID) -> AsyncIterator[str]:
    """Verify all proofs of a company except their pictures, and yield a message per fault."""
    keys = await signing.load_trusted_keys(db)
    # Registration holds the row lock until the head is inserted, so all registered heads are
    # visible. Later ones may be too.
    signed_count = _read_signed_count(await _find_register(db, company), keys)
    number = 0
    while batch := await _list_heads_after(db, company, number):
        names = await load_order_names(db, company, [head.order_uuid for head in batch])
        for head in batch:
            if head.number > number + 1:
                yield _describe_missing_orders(number + 1, head.number - 1)
            number = head.number
            if head.order_uuid not in names:
                yield _describe_missing_orders(number, number)
                continue
            rows, signed_head = await queries.load_chain(db, company, head.order_uuid)
            order_id = names[head.order_uuid]
            for message in integrity.find_faults(Chain(order_id, rows, signed_head, keys)):
                yield f"{order_id}: {message}"
    if number < signed_count:
        yield f"The last order with proofs is no. {number}, but the register counts {signed_count}."
    if number and not signed_count:
        yield "The register of orders with proofs is missing, or not signed by a trusted key."
    async for order_id in _list_headless_orders(db, company):
        yield f"{order_id}: {integrity.CUT_SHORT}"


def _describe_missing_orders(first_number: int, last_number: int) -> str:
    if first_number == last_number:
        return f"Order with proofs no. {first_number} is missing."
    return f"Orders with proofs no. {first_number} to {last_number} are missing."


class _ProofRow(msgspec.Struct):
    received_at: datetime
    uuid: UUID
    headless: UUID | None


async def _list_headless_orders(db: Db, company: UUID) -> AsyncIterator[str]:
    """Yield orders that have proofs but no head, which Pannier never leaves behind."""
    seen_uuids, received_at, uuid = set[UUID](), datetime.min.replace(tzinfo=UTC), UUID(int=0)
    while batch := await db.fetch_all(
        _ProofRow,
        f"""select p.received_at, p.uuid, case when h.number is null then p.order_uuid end headless
            from proofs p left join proof_heads h on h.order_uuid = p.order_uuid
            where p.company = :company and (p.received_at, p.uuid) > (:received_at, :uuid)
            order by p.received_at, p.uuid limit {BATCH_SIZE}""",
        company=company,
        received_at=received_at,
        uuid=uuid,
    ):
        order_uuids = {row.headless for row in batch if row.headless is not None} - seen_uuids
        names = await load_order_names(db, company, [*order_uuids])
        for order_id in sorted(names.get(uuid, str(uuid)) for uuid in order_uuids):
            yield order_id
        seen_uuids |= order_uuids
        received_at, uuid = batch[-1].received_at, batch[-1].uuid


async def _list_heads_after(db: Db, company: UUID, number: int) -> list[_NumberedOrder]:
    return await db.fetch_all(
        _NumberedOrder,
        f"""select number, order_uuid from proof_heads
            where company = :company and number > :number order by number limit {BATCH_SIZE}""",
        company=company,
        number=number,
    )


async def _find_register(db: Db, company: UUID) -> Register | None:
    sql = f"select {columns(Register)} from proof_registers where company = :company"
    return await db.find(Register, sql, company=company)


def _read_signed_count(register: Register | None, keys: dict[str, PublicKey]) -> int:
    """Return the signed number of orders, or 0 without a register signed by a trusted key."""
    key = None if register is None else keys.get(register.key_id)
    if register is None or key is None:
        return 0
    if not key.has_signed(_DOMAIN + register.statement, register.signature):
        return 0
    content: dict[str, Any] = msgspec.json.decode(register.statement)
    return int(content["count"]) if content.get("company") == str(register.company) else 0
