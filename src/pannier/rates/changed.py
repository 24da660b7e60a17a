"""The queue of companies whose rates have changed. The worker prices their unpriced orders."""

from typing import Final
from uuid import UUID

import msgspec

from pannier.db import Db, columns

CHANNEL: Final = "pannier_changed_rates"


class ChangedRates(msgspec.Struct):
    """A company whose rates have changed, and the last order that was priced since."""

    company: UUID
    after: UUID


async def queue_company(db: Db, company: UUID) -> None:
    """Queue a company whose rates have changed. Its orders are priced from the first one again."""
    await db.execute(
        """insert into changed_rates (company, due_at) values (:company, :now)
           on conflict (company) do update set after = default""",
        company=company,
        now=db.now,
    )
    db.notify(CHANNEL)


async def lock_next_company(db: Db) -> ChangedRates | None:
    """Lock the company that has waited longest until the transaction ends."""
    return await db.find(
        ChangedRates,
        f"""select {columns(ChangedRates)} from changed_rates
            order by due_at, company limit 1 for update skip locked""",
    )


async def record_progress(db: Db, changed_rates: ChangedRates, order: UUID) -> None:
    """Record the last order that was priced. Other companies come first now."""
    await db.execute(
        "update changed_rates set after = :after, due_at = :now where company = :company",
        after=order,
        now=db.now,
        company=changed_rates.company,
    )


async def remove_company(db: Db, changed_rates: ChangedRates) -> None:
    """Remove a company that has no more orders to price."""
    await db.execute(
        "delete from changed_rates where company = :company", company=changed_rates.company
    )
