"""Lines of a transaction: what a customer is charged for, and credits."""

from collections.abc import Sequence
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


async def add_line(db: Db, transaction: Transaction, line: ChargeLine) -> Transaction:
    """Add a line to a transaction, and settle it again."""
    position: int = await db.fetch_value(
        """select count(*) from charges
           where company = :company and transaction = :transaction""",
        company=transaction.company,
        transaction=transaction.uuid,
    )
    await insert_lines(db, transaction, [line], position)
    changed_transaction, _ = await TRANSACTIONS.change(
        db,
        transaction,
        log_action="charged" if line.amount >= 0 else "reduced",
        log_details={"line": line.code, "amount": line.amount},
        amount=transaction.amount + line.amount,
    )
    # The open pages ask for another amount.
    await facts.close_checkouts(db, changed_transaction)
    return await facts.refresh_transaction(db, changed_transaction)


def split_line(line: ChargeLine, amounts: Sequence[int]) -> list[ChargeLine]:
    """Split a line into these amounts, whose sum is its own. Its tax is split likewise."""
    parts, amount, tax = [], line.amount, line.tax_amount
    for part_amount in amounts:
        part_tax = (
            0 if amount == 0 else divide_half_up(abs(tax) * abs(part_amount), abs(amount))
        ) * (1 if tax >= 0 else -1)
        parts.append(msgspec.structs.replace(line, amount=part_amount, tax_amount=part_tax))
        amount, tax = amount - part_amount, tax - part_tax
    return parts
