"""Database reads of the cash desk."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from pannier.cash.models import (
    CARRIED_METHODS,
    CashCollection,
    CashHandIn,
    CashRemittance,
)
from pannier.cash.schemas import (
    CashBalanceOut,
    CashBalancesOut,
    CashCollectionOut,
    CollectionFilters,
    DifferenceFilters,
    DifferenceOut,
    DriverBalanceOut,
    DriverCashOut,
    HandInFilters,
    HandInOut,
    PayableOut,
    RemittanceFilters,
    RemittanceOut,
)
from pannier.customers.recognition import get_partner
from pannier.db import Db, Page, Table, Where
from pannier.db.row import RowReference
from pannier.kit.money import MAX_AMOUNT
from pannier.orders.internal_ids import OrderTable
from pannier.orders.models import PartnerType

COLLECTIONS: Final = Table(
    "cash_collections", CashCollection, noun="cash_collection", prefix="collection"
)
HAND_INS: Final = Table("cash_hand_ins", CashHandIn, noun="cash_hand_in", prefix="handin")
REMITTANCES: Final = Table(
    "cash_remittances", CashRemittance, noun="cash_remittance", prefix="remittance"
)
# Only identifiers are read from these tables.
_NAMES: Final = {
    "order": OrderTable("orders", RowReference),
    "driver": Table("drivers", RowReference),
    "contact": Table("contacts", RowReference),
    "vendor": Table("vendors", RowReference),
    "hand_in": Table("cash_hand_ins", RowReference),
    "remittance": Table("cash_remittances", RowReference),
}
MAX_SHOWN_COLLECTIONS: Final = 200
MAX_BALANCES: Final = 1000
# A driver carries this cash; other methods never pass through the driver's hands. The methods are
# literals, because parameters would not match the conditions of the indexes.
_IS_CARRIED: Final = f"method in {CARRIED_METHODS}"
CARRIED: Final = f"hand_in is null and {_IS_CARRIED}"
REMITTABLE: Final = f"remittance is null and (hand_in is not null or not {_IS_CARRIED})"


class DriverName(RowReference):
    """A driver's identifiers and name."""

    name: str


class Merchant(msgspec.Struct):
    """A customer to whom cash is remitted."""

    uuid: UUID
    type: PartnerType


class _Balance(msgspec.Struct):
    currency: str
    balance: int


_DRIVER_NAMES: Final = Table("drivers", DriverName)


async def find_by_client_uuid(db: Db, company: UUID, client_uuid: UUID) -> CashCollection | None:
    """Find the collection of an earlier attempt of the same request."""
    where = COLLECTIONS.where(company).add_equal(client_uuid=client_uuid)
    sql = f"select {COLLECTIONS.columns} from cash_collections {where}"
    return await db.find(CashCollection, sql, **where.values)


async def list_collections(
    db: Db, company: UUID, filters: CollectionFilters
) -> Page[CashCollection]:
    """List collections, newest first."""
    where = COLLECTIONS.where(company).add_equal(
        order_uuid=await _find_order(db, company, filters.order),
        driver=await _find_driver(db, company, filters.driver),
        customer=await _find_customer(db, company, filters.customer),
        currency=_to_upper(filters.currency),
    )
    if filters.handed_in is not None:
        condition = CARRIED if not filters.handed_in else f"not ({CARRIED})"
        where.add(condition)
    if filters.remitted is not None:
        where.add(f"remittance is {'not null' if filters.remitted else 'null'}")
    if filters.has_difference is not None:
        where.add(f"amount {'<>' if filters.has_difference else '='} amount_due")
    where.add_time_range("created_at", filters.since, filters.until)
    return await COLLECTIONS.load_page(db, where, filters)


async def list_hand_ins(db: Db, company: UUID, filters: HandInFilters) -> Page[CashHandIn]:
    """List hand-ins, newest first."""
    where = HAND_INS.where(company).add_equal(
        driver=await _find_driver(db, company, filters.driver),
        currency=_to_upper(filters.currency),
    )
    if filters.has_difference is not None:
        where.add(f"difference {'<>' if filters.has_difference else '='} 0")
    where.add_time_range("created_at", filters.since, filters.until)
    return await HAND_INS.load_page(db, where, filters)


async def list_remittances(
    db: Db, company: UUID, filters: RemittanceFilters
) -> Page[CashRemittance]:
    """List remittances, newest first."""
    where = REMITTANCES.where(company).add_equal(
        customer=await _find_customer(db, company, filters.customer),
        currency=_to_upper(filters.currency),
    )
    return await REMITTANCES.load_page(db, where, filters)


async def _find_order(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    if identifier is None:
        return None
    return (await _NAMES["order"].resolve_reference(db, company, "order", identifier)).uuid


async def _find_driver(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    if identifier is None:
        return None
    return (await _DRIVER_NAMES.resolve_reference(db, company, "driver", identifier)).uuid


async def _find_customer(db: Db, company: UUID, identifier: str | None) -> UUID | None:
    if identifier is None:
        return None
    return (await find_merchant(db, company, identifier)).uuid


async def get_driver(db: Db, company: UUID, identifier: str | UUID) -> DriverName:
    """Return a driver, who may be deleted, because the cash has to be handed in all the same."""
    return await _DRIVER_NAMES.get(db, company, identifier)


async def find_merchant(db: Db, company: UUID, identifier: str) -> Merchant:
    """Find a contact or vendor, also a deleted one, or the contact of a customer account."""
    kinds: tuple[PartnerType, ...] = ("contact", "vendor")
    for kind in kinds:
        if (row := await _NAMES[kind].find(db, company, identifier)) is not None:
            return Merchant(row.uuid, kind)
    return Merchant((await get_partner(db, company, "customer", identifier)).uuid, "contact")


def _to_upper(currency: str | None) -> str | None:
    return currency and currency.upper()


async def load_collections_out(
    db: Db, company: UUID, rows: Sequence[CashCollection]
) -> list[CashCollectionOut]:
    """Build the output of collections."""
    names = await load_names(
        db,
        company,
        driver=[row.driver for row in rows],
        contact=[row.customer for row in rows if row.customer_type == "contact"],
        vendor=[row.customer for row in rows if row.customer_type == "vendor"],
        hand_in=[row.hand_in for row in rows],
        remittance=[row.remittance for row in rows],
    )
    return [CashCollectionOut.from_row(row, names) for row in rows]


async def load_hand_ins_out(db: Db, company: UUID, rows: Sequence[CashHandIn]) -> list[HandInOut]:
    """Build the output of hand-ins."""
    names = await load_names(db, company, driver=[row.driver for row in rows])
    return [HandInOut.from_row(row, names) for row in rows]


async def load_remittances_out(
    db: Db, company: UUID, rows: Sequence[CashRemittance]
) -> list[RemittanceOut]:
    """Build the output of remittances."""
    names = await load_names(
        db,
        company,
        contact=[row.customer for row in rows if row.customer_type == "contact"],
        vendor=[row.customer for row in rows if row.customer_type == "vendor"],
    )
    return [RemittanceOut.from_row(row, names) for row in rows]


async def load_names(db: Db, company: UUID, **uuids: Sequence[UUID | None]) -> dict[UUID, str]:
    """Load the public ids of related records, including deleted ones, by kind."""
    names: dict[UUID, str] = {}
    for kind, found in uuids.items():
        record_uuids = [uuid for uuid in set(found) if uuid is not None]
        rows = await _NAMES[kind].load_many(db, company, record_uuids)
        names |= {uuid: row.public_id for uuid, row in rows.items()}
    return names


async def load_drivers(db: Db, company: UUID, uuids: Sequence[UUID]) -> dict[UUID, DriverName]:
    """Load the names of drivers, including deleted ones."""
    return await _DRIVER_NAMES.load_many(db, company, list(set(uuids)))


async def load_driver_cash(db: Db, company: UUID, driver: DriverName) -> DriverCashOut:
    """Load the cash that a driver carries, with the newest collections of each currency."""
    where = _build_carried_where(company, driver.uuid)
    balances = await db.fetch_all(
        _Balance,
        f"""select currency, sum(amount)::bigint as balance from cash_collections {where}
            group by currency order by currency""",
        **where.values,
    )
    balances_out = []
    for balance in balances:
        currency_where = _build_carried_where(company, driver.uuid).add_equal(
            currency=balance.currency
        )
        rows = await db.fetch_all(
            CashCollection,
            f"""select {COLLECTIONS.columns} from cash_collections {currency_where}
                order by created_at desc, uuid desc limit {MAX_SHOWN_COLLECTIONS}""",
            **currency_where.values,
        )
        collections = await load_collections_out(db, company, rows)
        balances_out.append(
            CashBalanceOut(
                currency=balance.currency, balance=balance.balance, collections=collections
            )
        )
    return DriverCashOut(driver=driver.public_id, balances=balances_out)


def _build_carried_where(company: UUID, driver: UUID) -> Where:
    where = COLLECTIONS.where(company).add_equal(driver=driver)
    return where.add(CARRIED)


class LockedCash(msgspec.Struct):
    """Locked collections, and the sum of their amounts."""

    uuids: list[UUID]
    amount: int


async def lock_carried(db: Db, company: UUID, driver: UUID, currency: str) -> LockedCash:
    """Lock the collections that a driver carries in one currency."""
    where = _build_carried_where(company, driver).add_equal(currency=currency)
    return await _lock_collections(db, where)


async def lock_remittable(db: Db, company: UUID, customer: UUID, currency: str) -> LockedCash:
    """Lock the collections whose cash can be remitted to a merchant in one currency."""
    where = COLLECTIONS.where(company).add_equal(customer=customer, currency=currency)
    return await _lock_collections(db, where.add(REMITTABLE))


async def _lock_collections(db: Db, where: Where) -> LockedCash:
    """Lock collections in one order. Those that another request took meanwhile are left out."""
    return await db.get(
        LockedCash,
        f"""select coalesce(array_agg(uuid), '{{}}') as uuids,
                coalesce(sum(amount), 0)::bigint as amount
            from (select uuid, amount from cash_collections {where}
                  order by uuid for no key update) c""",
        **where.values,
    )


async def sum_carried(db: Db, company: UUID) -> dict[str, int]:
    """Sum the cash that all drivers carry, by currency."""
    rows = await db.fetch_tuples(
        f"""select currency, sum(amount)::bigint from cash_collections
            where company = :company and {CARRIED} group by currency""",
        company=company,
    )
    return dict(rows)


async def load_balances(db: Db, company: UUID) -> CashBalancesOut:
    """Load the cash of all drivers, and the cash to remit to all merchants."""
    drivers = await db.fetch_all(
        DriverBalanceOut,
        f"""select d.public_id as driver, d.name, c.currency, sum(c.amount)::bigint as balance,
                count(*)::int as collections,
                to_char(min(c.collected_at) at time zone 'utc', '{_RFC3339}') as since
            from cash_collections c join drivers d on d.uuid = c.driver
            where c.company = :company and {CARRIED}
            group by d.uuid, c.currency having sum(c.amount) > 0
            order by d.name, d.uuid, c.currency
            limit {MAX_BALANCES}""",
        company=company,
    )
    customers = await db.fetch_all(
        PayableOut,
        f"""select coalesce(p.public_id, v.public_id) as customer, c.customer_type,
                coalesce(p.name, v.name) as name, c.currency,
                sum(c.amount)::bigint as amount, count(*)::int as collections
            from cash_collections c
            left join contacts p on c.customer_type = 'contact' and p.uuid = c.customer
            left join vendors v on c.customer_type = 'vendor' and v.uuid = c.customer
            where c.company = :company and c.customer is not null and {REMITTABLE}
            group by 1, 2, 3, 4 having sum(c.amount) > 0
            order by 3, 1, 4 limit {MAX_BALANCES}""",
        company=company,
    )
    return CashBalancesOut(drivers=drivers, customers=customers)


_RFC3339: Final = 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'


async def load_differences(
    db: Db, company: UUID, filters: DifferenceFilters
) -> list[DifferenceOut]:
    """Total the differences of collections and hand-ins per driver and currency."""
    where = HAND_INS.where(company).add_equal(
        driver=await _find_driver(db, company, filters.driver)
    )
    where.add_time_range("created_at", filters.since, filters.until)
    return await db.fetch_all(
        DifferenceOut,
        f"""select d.public_id as driver, d.name, r.currency,
                count(r.uncollected)::int as collections,
                least(coalesce(sum(r.uncollected), 0), {MAX_AMOUNT})::bigint as uncollected,
                count(r.difference)::int as hand_ins,
                -coalesce(sum(least(r.difference, 0)), 0)::bigint as missing,
                coalesce(sum(greatest(r.difference, 0)), 0)::bigint as surplus,
                coalesce(sum(r.difference), 0)::bigint as difference
            from (
                select driver, currency, difference, null::bigint as uncollected
                from cash_hand_ins {where} and difference <> 0
                union all
                select driver, currency, null, amount_due - amount
                from cash_collections {where} and amount <> amount_due
            ) r
            join drivers d on d.uuid = r.driver
            group by d.uuid, r.currency order by d.name, d.uuid, r.currency
            limit {MAX_BALANCES}""",
        **where.values,
    )
