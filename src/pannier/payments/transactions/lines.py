"""Lines of a transaction: what a customer is charged for, and credits."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import Any

import msgspec

from pannier.db import Db
from pannier.kit.money import divide_half_up
from pannier.payments import facts
from pannier.payments.transactions import events
from pannier.payments.transactions.models import Charge, ChargeLine, Transaction
from pannier.payments.transactions.queries import TRANSACTIONS


def author_columns(db: Db) -> dict[str, Any]:
    """Return the columns that name the actor of a row."""
    return {
        "actor_kind": db.actor.kind,
        "actor_id": db.actor.id,
        "actor_name": db.actor.name,
    }


async def insert_lines(
    db: Db, transaction: Transaction, lines: Sequence[ChargeLine], first_position: int = 0
) -> None:
    """Insert lines of a transaction, whose amount the caller updates."""
    rows = [
        Charge(
            **db.new_row_fields(transaction.company, "charge"),
            **author_columns(db),
            transaction=transaction.uuid,
            position=position,
            **msgspec.structs.asdict(line),
        )
        for position, line in enumerate(lines, first_position)
    ]
    await db.insert("charges", *rows)
    await events.emit_charges(db, transaction, rows)


async def add_lines(db: Db, transaction: Transaction, lines: Sequence[ChargeLine]) -> Transaction:
    """Add lines of one kind to a transaction, and settle it again."""
    position: int = await db.fetch_value(
        """select count(*) from charges
           where company = :company and transaction = :transaction""",
        company=transaction.company,
        transaction=transaction.uuid,
    )
    amount = sum(line.amount for line in lines)
    await insert_lines(db, transaction, lines, position)
    changed_transaction, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="charged" if amount >= 0 else "reduced",
        log_details={"line": lines[0].code, "amount": amount},
        amount=transaction.amount + amount,
    )
    # The open pages ask for another amount.
    await facts.close_checkouts(db, changed_transaction)
    return await facts.refresh_transaction(db, changed_transaction)


def split_line(line: ChargeLine, amounts: Sequence[int]) -> list[ChargeLine]:
    """Split a line into these amounts, whose sum is its own. Its tax is split likewise."""
    parts, amount, tax = [], line.amount, line.tax_amount
    for part_amount in amounts:
        part_tax = _take_share(tax, part_amount, amount)
        parts.append(msgspec.structs.replace(line, amount=part_amount, tax_amount=part_tax))
        amount, tax = amount - part_amount, tax - part_tax
    return parts


def split_by_tax(line: ChargeLine, charges: Iterable[Charge]) -> list[ChargeLine]:
    """Split a credit in proportion to the tax rates of the charges that it reduces.

    Each part contains the tax of what it reduces.
    """
    totals: dict[Decimal | None, tuple[int, int]] = {}
    for charge in charges:
        amount, tax = totals.get(charge.tax_rate, (0, 0))
        totals[charge.tax_rate] = (amount + charge.amount, tax + charge.tax_amount)
    parts, credit = [], -line.amount
    reducible = sum(max(0, amount) for amount, _ in totals.values())
    for rate, (amount, tax) in totals.items():
        share = min(max(0, amount), _take_share(credit, max(0, amount), reducible))
        if share:
            parts.append(
                msgspec.structs.replace(
                    line, amount=-share, tax_rate=rate, tax_amount=-_take_share(tax, share, amount)
                )
            )
        credit, reducible = credit - share, reducible - max(0, amount)
    return parts or [line]


def _take_share(total: int, part: int, parts: int) -> int:
    """Return `total * part / parts`, rounded half up."""
    if parts == 0:
        return 0
    share = divide_half_up(abs(total) * abs(part), abs(parts))
    return share if (total >= 0) == ((part >= 0) == (parts >= 0)) else -share
