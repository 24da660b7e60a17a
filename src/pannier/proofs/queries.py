"""Queries of proofs."""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from pannier.db import Db, Page, Sort, Where, columns, load_page
from pannier.proofs.models import ChainHead, Proof
from pannier.proofs.schemas import ProofFilters

SELECT: Final = f"select {columns(Proof)} from proofs"


async def get_proof(db: Db, company: UUID, identifier: str) -> Proof:
    """Load a proof by its UUID or public id, or raise NotFound."""
    where = Where(company).add_identifier(identifier)
    return await db.get(Proof, f"{SELECT} {where}", **where.values)


async def list_order_proofs(
    db: Db, company: UUID, order: UUID, subject: UUID | None = None
) -> list[Proof]:
    """List an order's chain, or one subject's part of it."""
    where = Where(company).add_equal(order_uuid=order, subject_uuid=subject)
    sql = f"{SELECT} {where} order by sequence"
    return await db.fetch_all(Proof, sql, **where.values)


async def list_subject_proofs(
    db: Db, company: UUID, order: UUID, subjects: Sequence[UUID]
) -> list[Proof]:
    """List an order's proofs for the given subjects, without erased ones."""
    where = Where(company).add_equal(order_uuid=order).add("erased_at is null")
    where.add("subject_uuid = any(:subjects)", subjects=list(subjects))
    return await db.fetch_all(Proof, f"{SELECT} {where} order by sequence", **where.values)


async def find_last_proof(db: Db, company: UUID, order: UUID) -> Proof | None:
    """Return the last proof of an order's chain. Lock the order before appending."""
    where = Where(company).add_equal(order_uuid=order)
    sql = f"{SELECT} {where} order by sequence desc limit 1"
    return await db.find(Proof, sql, **where.values)


async def find_head(db: Db, company: UUID, order: UUID) -> ChainHead | None:
    """Return the signed head of an order's chain."""
    where = Where(company).add_equal(order_uuid=order)
    sql = f"select {columns(ChainHead)} from proof_heads {where}"
    return await db.find(ChainHead, sql, **where.values)


async def load_chain(db: Db, company: UUID, order: UUID) -> tuple[list[Proof], ChainHead | None]:
    """Load an order's chain and the matching head. Retry if a proof arrived meanwhile."""
    head = await find_head(db, company, order)
    while True:
        rows = await list_order_proofs(db, company, order)
        current_head = await find_head(db, company, order)
        if current_head == head:
            return rows, head
        head = current_head


async def find_proof_by_client_uuid(db: Db, company: UUID, client_uuid: UUID) -> Proof | None:
    """Return the proof with the given `client_uuid`."""
    where = Where(company).add_equal(client_uuid=client_uuid)
    return await db.find(Proof, f"{SELECT} {where}", **where.values)


async def list_unused_proofs(db: Db, company: UUID, order: UUID) -> list[Proof]:
    """List an order's proofs that can still allow an activity, oldest first."""
    where = Where(company).add_equal(order_uuid=order, status="valid").add("used_by is null")
    sql = f"{SELECT} {where} order by sequence"
    return await db.fetch_all(Proof, sql, **where.values)


async def list_captured_methods(
    db: Db, company: UUID, orders: Collection[UUID]
) -> dict[UUID, set[str]]:
    """Return the methods of the valid proofs of each order."""
    rows = await db.fetch_tuples(
        """select distinct order_uuid, method from proofs
           where company = :company and order_uuid = any(:orders) and status = 'valid'""",
        company=company,
        orders=list(orders),
    )
    methods: dict[UUID, set[str]] = {}
    for order, method in rows:
        methods.setdefault(order, set()).add(method)
    return methods


async def count_subject_proofs(db: Db, company: UUID, subject: UUID) -> int:
    """Count a subject's proofs."""
    proof_count: int = await db.fetch_value(
        "select count(*) from proofs where company = :company and subject_uuid = :subject",
        company=company,
        subject=subject,
    )
    return proof_count


async def lock_pictures(db: Db, company: UUID, hashes: Collection[str]) -> None:
    """Lock pictures against concurrent captures. Sorting them prevents deadlocks."""
    for sha256 in sorted(hashes):
        key = f"picture:{company}:{sha256}"
        await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def find_first_picture_use(
    db: Db, company: UUID, order: UUID, stored_sha256: str
) -> str | None:
    """Return the id of the first proof of another order with the same picture."""
    public_id: str | None = await db.fetch_value(
        """select public_id from proofs
           where company = :company and data #>> '{image,stored_sha256}' = :hash
             and order_uuid <> :order
           order by received_at, uuid limit 1""",
        company=company,
        hash=stored_sha256,
        order=order,
    )
    return public_id


async def load_proof_page(
    db: Db, company: UUID, filters: ProofFilters, *, order: UUID | None, driver: UUID | None
) -> Page[Proof]:
    """List a page of proofs, newest first."""
    where = Where(company).add_equal(
        order_uuid=order, driver=driver, method=filters.method, subject_type=filters.subject_type
    )
    where.add_time_range("received_at", filters.since, filters.until)
    sort = Sort(("received_at",))
    return await load_page(db, Proof, SELECT, where, filters, sort)
