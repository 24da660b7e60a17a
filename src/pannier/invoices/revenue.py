"""What documents have to say about a transaction, so that they add up to what it brings in.

A customer's documents contain each charge of a transaction once. If the customer does not owe a
part of them after all, because the transaction was voided or its money went back, a line for each
tax rate takes that part out again.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from decimal import Decimal
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from pannier.invoices.models import LineContent
from pannier.kit.money import divide_half_up
from pannier.payments.transactions.models import Charge, Transaction

CORRECTION: Final = "Correction of earlier charges"


class TaxedSum(NamedTuple):
    """An amount that contains its tax."""

    amount: int = 0
    tax: int = 0

    def plus(self, amount: int, tax: int) -> "TaxedSum":
        return TaxedSum(self.amount + amount, self.tax + tax)

    def minus(self, other: "TaxedSum") -> "TaxedSum":
        return TaxedSum(self.amount - other.amount, self.tax - other.tax)


SumsByRate = Mapping[Decimal | None, TaxedSum]


class Documented(msgspec.Struct, frozen=True, kw_only=True):
    """What a customer's documents already contain of a transaction."""

    by_charge: Mapping[UUID, TaxedSum] = msgspec.field(default_factory=dict)
    charges: SumsByRate = msgspec.field(default_factory=dict)
    corrections: SumsByRate = msgspec.field(default_factory=dict)


def compute_revenue(transaction: Transaction) -> int:
    """Return what a transaction brings in: all that is owed or was paid and not given back."""
    if transaction.voided_at is not None:
        return 0
    income = transaction.amount_paid - transaction.amount_refunded + transaction.balance
    return max(0, min(transaction.amount, income))


def list_missing_lines(
    transaction: Transaction,
    *,
    is_owed: bool,
    charges: Sequence[tuple[Charge, date]],
    documented: Documented,
    today: date,
) -> list[LineContent]:
    """List the lines that a customer's documents lack about a transaction.

    `charges` are those to invoice, with their days. Without `is_owed`, the debt has moved to
    another customer, so that this one's documents have to add up to nothing.
    """
    lines = _list_charge_lines(transaction, charges if is_owed else (), documented)
    charged = _add_sums(documented.charges, _sum_by_rate(lines))
    deviation = -sum(part.amount for part in charged.values())
    if is_owed:
        deviation = compute_revenue(transaction) - transaction.amount
    corrections = _list_corrections(charged, documented.corrections, deviation)
    lines += [
        LineContent(
            transaction=transaction.uuid,
            order_uuid=transaction.order_uuid,
            kind="balance",
            description=CORRECTION,
            day=today,
            tax_rate=rate,
            tax_amount=part.tax,
            amount=part.amount,
        )
        for rate, part in corrections.items()
    ]
    # What was canceled before anybody was invoiced for it needs no document.
    return lines if any(part != TaxedSum() for part in _sum_by_rate(lines).values()) else []


def _list_charge_lines(
    transaction: Transaction, charges: Sequence[tuple[Charge, date]], documented: Documented
) -> list[LineContent]:
    lines = []
    for charge, day in charges:
        done = documented.by_charge.get(charge.uuid, TaxedSum())
        rest = TaxedSum(charge.amount, charge.tax_amount).minus(done)
        if rest != TaxedSum():
            lines.append(
                LineContent(
                    transaction=transaction.uuid,
                    charge=charge.uuid,
                    order_uuid=transaction.order_uuid,
                    kind=charge.kind,
                    description=charge.details,
                    day=day,
                    tax_rate=charge.tax_rate,
                    tax_amount=rest.tax,
                    amount=rest.amount,
                )
            )
    return lines


def _list_corrections(
    charged: SumsByRate, corrected: SumsByRate, deviation: int
) -> dict[Decimal | None, TaxedSum]:
    """Return what to add for each rate, so that the charges change by `deviation`.

    Not all charges may be documented yet: the part of the others is corrected with them.
    """
    total = sum(part.amount for part in charged.values())
    target = total + max(deviation, -max(0, total))
    corrected_sums = scale_sums(charged, total, target)
    rates = {**charged, **corrected}
    missing = {
        rate: corrected_sums.get(rate, TaxedSum())
        .minus(charged.get(rate, TaxedSum()))
        .minus(corrected.get(rate, TaxedSum()))
        for rate in rates
    }
    return {rate: part for rate, part in missing.items() if part != TaxedSum()}


def scale_sums(sums: SumsByRate, total: int, target: int) -> dict[Decimal | None, TaxedSum]:
    """Scale sums, which add up to `total`, in proportion, so that they add up to `target`."""
    if total == target:
        return dict(sums)
    if target == 0:
        return {}
    scaled, amount, done = {}, 0, 0
    # Sorted, so that equal sums are always rounded in the same way.
    for rate, part in sorted(sums.items(), key=lambda pair: (pair[0] is None, pair[0])):
        amount += part.amount
        share = divide_half_up(amount * target, total) - done
        done += share
        scaled[rate] = TaxedSum(share, divide_half_up(part.tax * target, total))
    return scaled


def _sum_by_rate(lines: Sequence[LineContent]) -> dict[Decimal | None, TaxedSum]:
    sums: dict[Decimal | None, TaxedSum] = defaultdict(TaxedSum)
    for line in lines:
        sums[line.tax_rate] = sums[line.tax_rate].plus(line.amount, line.tax_amount)
    return sums


def _add_sums(first: SumsByRate, second: SumsByRate) -> dict[Decimal | None, TaxedSum]:
    return {
        rate: first.get(rate, TaxedSum()).plus(*second.get(rate, TaxedSum()))
        for rate in {**first, **second}
    }


def share_balance(balance: int, amounts: Sequence[int], revenue: int) -> list[int]:
    """Return what is still to be paid of each document of a transaction, the oldest first.

    Payments settle the oldest document first. What is not documented yet is settled last.
    """
    rest = max(0, balance - max(0, revenue - sum(amounts)))
    shares = []
    for amount in reversed(amounts):
        share = min(max(0, amount), rest)
        rest -= share
        shares.append(share)
    return shares[::-1]
