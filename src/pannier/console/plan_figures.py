"""The figures of plans side by side: a plan and the current assignment, or two plans."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from pannier.console.formatting import EMPTY_VALUE, format_distance, format_money

FigureKind = Literal["count", "distance", "time", "money"]
MINUS: Final = "\N{MINUS SIGN}"
SECONDS_PER_MINUTE: Final = 60
UNDO_QUESTION: Final = (
    "Undo this plan? Orders return to their previous drivers. Orders without a previous driver "
    "are unassigned."
)
Figures = Mapping[str, Any]


class Figure(NamedTuple):
    """A figure of a plan. `better` is 1 if more is better, -1 if less is."""

    name: str
    label: str
    kind: FigureKind
    better: int

    def format_value(self, figures: Figures | None) -> str:
        """Format the figure of a plan."""
        if figures is None:
            return EMPTY_VALUE
        return format_amount(figures[self.name], self.kind, figures["currency"])

    def compare(self, figures: Figures | None, other: Figures | None) -> "Change | None":
        """Return the difference from `other` to `figures`."""
        if figures is None or other is None or None in (figures[self.name], other[self.name]):
            return None
        if self.kind == "money" and figures["currency"] != other["currency"]:
            return None
        return self.to_change(figures[self.name] - other[self.name], figures["currency"])

    def to_change(self, amount: int, currency: str | None) -> "Change":
        """Return a difference of this figure."""
        rank = amount * self.better
        return Change(
            format_change(amount, self.kind, currency),
            "green" if rank > 0 else "red" if rank < 0 else "muted",
        )


class Change(NamedTuple):
    """A difference with its sign, and its color: green is better."""

    text: str
    color: str


class FigureRow(NamedTuple):
    """A figure of two plans."""

    label: str
    value: str
    other: str
    change: Change | None


FIGURES: Final = (
    Figure("orders", "Assigned orders", "count", 1),
    Figure("unassigned", "Unassigned orders", "count", -1),
    Figure("late_stops", "Late stops", "count", -1),
    Figure("lateness", "Total delay", "time", -1),
    Figure("drivers", "Drivers", "count", 0),
    Figure("distance", "Distance", "distance", -1),
    Figure("drive_time", "Driving time", "time", -1),
    Figure("time", "Working time", "time", -1),
    Figure("cost", "Cost", "money", -1),
)
# Figures that are better or worse however many orders are assigned.
ORDER_FIGURES: Final = frozenset({"orders", "unassigned", "late_stops", "lateness"})


def list_rows(figures: Figures | None, other: Figures | None) -> list[FigureRow]:
    """List the known figures of a plan beside those of another one, with the differences."""
    return [
        FigureRow(
            figure.label,
            figure.format_value(figures),
            figure.format_value(other),
            _judge(figure, figure.compare(figures, other), figures, other),
        )
        for figure in FIGURES
        if {figure.format_value(figures), figure.format_value(other)} != {EMPTY_VALUE}
    ]


def _judge(
    figure: Figure, change: Change | None, figures: Figures | None, other: Figures | None
) -> Change | None:
    """Return a difference without color if it comes from more or fewer orders."""
    if change is None or figures is None or other is None or figure.name in ORDER_FIGURES:
        return change
    return change if figures["orders"] == other["orders"] else change._replace(color="muted")


def describe_change(before: Figures, after: Figures) -> list[tuple[str, Change]]:
    """List the figures that a move changes, with the differences."""
    changes = [(figure, figure.compare(after, before)) for figure in FIGURES]
    return [
        (figure.label, change)
        for figure, change in changes
        if change is not None and after[figure.name] != before[figure.name]
    ]


def format_amount(amount: int | None, kind: FigureKind, currency: str | None) -> str:
    """Format a figure with its unit."""
    if amount is None:
        return EMPTY_VALUE
    if kind == "distance":
        return format_distance(amount)
    if kind == "time":
        return format_hours(amount)
    return format_money(amount, currency) if kind == "money" else str(amount)


def format_change(amount: int, kind: FigureKind, currency: str | None) -> str:
    """Format a difference with its sign."""
    text = format_amount(abs(amount), kind, currency)
    return f"{MINUS if amount < 0 else '+'}{text}" if amount else "no change"


def format_hours(seconds: int) -> str:
    """Format the sum of working times, which days would hide: "26 h 15 min"."""
    if 0 < seconds < SECONDS_PER_MINUTE:
        return f"{seconds} s"
    minutes = (seconds + SECONDS_PER_MINUTE // 2) // SECONDS_PER_MINUTE
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


class DriverRow(NamedTuple):
    """A driver's work in two plans."""

    driver: Mapping[str, Any]
    # Orders, distance, time and late stops of each plan.
    sides: Sequence[Sequence[str]]
    # The orders that the driver gets and loses from the first plan to the second.
    added: Sequence[str]
    removed: Sequence[str]


def list_driver_rows(
    routes: Sequence[Mapping[str, Any]], other: Sequence[Mapping[str, Any]]
) -> list[DriverRow]:
    """List the drivers of two plans with their work in both."""
    drivers = {route["driver"]["id"]: route["driver"] for route in (*routes, *other)}
    rows = []
    for identifier, driver in sorted(drivers.items(), key=lambda pair: pair[1]["name"].casefold()):
        driver_routes = [
            [route for route in side if route["driver"]["id"] == identifier]
            for side in (routes, other)
        ]
        first, second = (_list_orders(side) for side in driver_routes)
        rows.append(
            DriverRow(
                driver,
                [_describe_work(side) for side in driver_routes],
                [name for order, name in second.items() if order not in first],
                [name for order, name in first.items() if order not in second],
            )
        )
    return rows


def _list_orders(routes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """List the orders of routes with their numbers."""
    return {
        stop["order"]: stop["internal_id"] or stop["order"]
        for route in routes
        for stop in route["stops"]
    }


def _describe_work(routes: Sequence[Mapping[str, Any]]) -> list[str]:
    if not routes:
        return []
    return [
        str(len(_list_orders(routes))),
        format_distance(sum(route["distance"] for route in routes)),
        format_hours(sum(route["time"] for route in routes)),
        str(sum(route["late_stops"] for route in routes)),
    ]


def ask_to_accept(plan: Any) -> str:  # noqa: ANN401 - JSON
    """Return the question before a plan is accepted: what it assigns, and what it takes away."""
    figures, moves = plan["summary"], plan["moves"]
    if figures is None:
        return ""
    added = sum(move["from"] is None for move in moves)
    losers = Counter(move["from"]["name"] for move in moves if move["from"])
    taken_count = sum(losers.values())
    verb = "is" if taken_count == 1 else "are"
    losses = ", ".join(f"{name} ({count})" for name, count in sorted(losers.items()))
    sentences = [
        (
            f"Assign {count_things(figures['orders'], 'order')} to "
            f"{count_things(figures['drivers'], 'driver')}?"
        ),
        f"{count_things(added, 'order')} had no driver." if added else "",
        f"{count_things(taken_count, 'order')} {verb} reassigned from {losses}."
        if losses
        else "No order is reassigned.",
        "You can undo this later.",
    ]
    return " ".join(filter(None, sentences))


def count_things(count: int, noun: str) -> str:
    """Return a number with its noun: "1 order", "2 orders"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
