"""Data for the pages of invoices: lines by order, names, and sums of the ageing list."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from pannier.console import formatting

CONFIRM_ISSUE: Final = (
    "Issue now? The document gets the next number. Afterwards, it can only be corrected with a "
    "credit note."
)
# The most lines on a page. The PDF has all of them.
MAX_LINES: Final = 300
DASH: Final = "\N{EN DASH}"
# The columns of the ageing list: the API's fields and their labels.
PERIODS: Final = (
    ("total", "Total"), ("not_due", "Not due"), ("days_1_30", f"1{DASH}30 days"),
    ("days_31_60", f"31{DASH}60 days"), ("days_61_90", f"61{DASH}90 days"),
    ("over_90_days", "Over 90 days"),
)  # fmt: skip


def name_invoice(invoice: Any) -> str:  # noqa: ANN401 - JSON
    """Return the number of a document, or the name of a draft."""
    kind = "credit note" if invoice["kind"] == "credit_note" else "invoice"
    return str(invoice["number"] or f"Draft {kind}")


def describe_line(line: Any, currency: str) -> str:  # noqa: ANN401 - JSON
    """Describe a line in one sentence: "1. Base fee, 9.00 SGD"."""
    amount = formatting.format_money(line["amount"], currency)
    return f"{line['position']}. {line['description']}, {amount}"


def group_lines(lines: Sequence[Any], order_names: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """Group the lines of a document by order, with their sums."""
    groups: dict[str | None, list[Any]] = {}
    for line in islice(lines, MAX_LINES):
        groups.setdefault(line["order"], []).append(line)
    return [
        {
            "order": order,
            "name": order_names.get(order or "", order or "Other charges"),
            "lines": order_lines,
            "amount": sum(line["amount"] for line in order_lines),
        }
        for order, order_lines in groups.items()
    ]


def sum_ageing(rows: Iterable[Any]) -> dict[str, dict[str, int]]:
    """Sum the ageing list by currency."""
    totals: dict[str, dict[str, int]] = {}
    for row in rows:
        sums = totals.setdefault(row["currency"], dict.fromkeys(dict(PERIODS), 0))
        for name in sums:
            sums[name] += row[name]
    return dict(sorted(totals.items()))
