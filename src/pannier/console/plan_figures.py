"""Comparisons of figures: of a plan and the current assignment, or of two plans."""

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

    def compare(self, figures: Figures | None, other_figures: Figures | None) -> "Change | None":
        """Return the difference from `other_figures` to `figures`, or None if it is unknown."""
        if (
            figures is None
            or other_figures is None
            or None in (figures[self.name], other_figures[self.name])
        ):
            return None
        if self.kind == "money" and figures["currency"] != other_figures["currency"]:
            return None
        return self.to_change(figures[self.name] - other_figures[self.name], figures["currency"])

    def to_change(self, amount: int, currency: str | None) -> "Change":
        """Format a difference of this figure, colored by whether it is an improvement."""
        rank = amount * self.better
        return Change(
            format_change(amount, self.kind, currency),
            "green" if rank > 0 else "red" if rank < 0 else "muted",
        )


class Change(NamedTuple):
    """A signed difference, and its color: green is better."""

    text: str
    color: str


class FigureRow(NamedTuple):
    """A figure of two plans, and the difference."""

    label: str
    value: str
    other_value: str
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
# Figures that stay comparable if two plans assign different numbers of orders.
ORDER_FIGURES: Final = frozenset({"orders", "unassigned", "late_stops", "lateness"})


def list_rows(figures: Figures | None, other_figures: Figures | None) -> list[FigureRow]:
    """List the known figures of two plans with the differences."""
    return [
        FigureRow(
            figure.label,
            figure.format_value(figures),
            figure.format_value(other_figures),
            _mute_incomparable(
                figure, figure.compare(figures, other_figures), figures, other_figures
            ),
        )
        for figure in FIGURES
        if {figure.format_value(figures), figure.format_value(other_figures)} != {EMPTY_VALUE}
    ]


def _mute_incomparable(
    figure: Figure, change: Change | None, figures: Figures | None, other_figures: Figures | None
) -> Change | None:
    """Mute the color of a change if the two sides have different numbers of orders."""
    if change is None or figures is None or other_figures is None or figure.name in ORDER_FIGURES:
        return change
    return (
        change if figures["orders"] == other_figures["orders"] else change._replace(color="muted")
    )


def list_changes(previous_figures: Figures, new_figures: Figures) -> list[tuple[str, Change]]:
    """List the figures that a move changes, with their differences."""
    changes = [(figure, figure.compare(new_figures, previous_figures)) for figure in FIGURES]
    return [
        (figure.label, change)
        for figure, change in changes
        if change is not None and new_figures[figure.name] != previous_figures[figure.name]
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
    return f"{MINUS if amount < 0 else '+'}{text}" if amount else "No change"


def format_hours(seconds: int) -> str:
    """Format a duration in hours, never in days: "26 h 15 min"."""
    if 0 < seconds < SECONDS_PER_MINUTE:
        return f"{seconds} s"
    minutes = (seconds + SECONDS_PER_MINUTE // 2) // SECONDS_PER_MINUTE
    hours, extra_minutes = divmod(minutes, 60)
    if not hours:
        return f"{extra_minutes} min"
    return f"{hours} h {extra_minutes} min" if extra_minutes else f"{hours} h"


class DriverRow(NamedTuple):
    """A driver's work in two plans."""

    driver: Mapping[str, Any]
    # Orders, distance, time and late stops of each plan.
    sides: Sequence[Sequence[str]]
    # The orders that only the second plan, or only the first plan, assigns to the driver.
    added: Sequence[str]
    removed: Sequence[str]


def list_driver_rows(
    routes: Sequence[Mapping[str, Any]], other_routes: Sequence[Mapping[str, Any]]
) -> list[DriverRow]:
    """List the drivers of two plans with their work in both."""
    drivers = {route["driver"]["id"]: route["driver"] for route in (*routes, *other_routes)}
    rows = []
    for identifier, driver in sorted(drivers.items(), key=lambda pair: pair[1]["name"].casefold()):
        routes_by_plan = [
            [route for route in plan_routes if route["driver"]["id"] == identifier]
            for plan_routes in (routes, other_routes)
        ]
        first_orders, second_orders = (_list_orders(plan_routes) for plan_routes in routes_by_plan)
        rows.append(
            DriverRow(
                driver,
                [_describe_work(plan_routes) for plan_routes in routes_by_plan],
                [name for order, name in second_orders.items() if order not in first_orders],
                [name for order, name in first_orders.items() if order not in second_orders],
            )
        )
    return rows


def _list_orders(routes: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the numbers of the routes' orders, by order."""
    return {stop["order"]: stop["number"] for route in routes for stop in route["stops"]}


def _describe_work(routes: Sequence[Mapping[str, Any]]) -> list[str]:
    if not routes:
        return []
    return [
        str(len(_list_orders(routes))),
        format_distance(sum(route["distance"] for route in routes)),
        format_hours(sum(route["time"] for route in routes)),
        str(sum(route["late_stops"] for route in routes)),
    ]


def make_accept_question(plan: Any) -> str:  # noqa: ANN401 - JSON
    """Return the question that confirms a plan: the orders that it assigns and reassigns."""
    figures, moves = plan["summary"], plan["moves"]
    if figures is None:
        return ""
    unassigned_count = sum(move["from"] is None for move in moves)
    losses_by_driver = Counter(move["from"]["name"] for move in moves if move["from"])
    taken_count = sum(losses_by_driver.values())
    verb = "is" if taken_count == 1 else "are"
    previous_drivers = ", ".join(
        f"{name} ({count})" for name, count in sorted(losses_by_driver.items())
    )
    sentences = [
        (
            f"Assign {format_count(figures['orders'], 'order')} to "
            f"{format_count(figures['drivers'], 'driver')}?"
        ),
        f"{format_count(unassigned_count, 'order')} had no driver." if unassigned_count else "",
        f"{format_count(taken_count, 'order')} {verb} reassigned from {previous_drivers}."
        if previous_drivers
        else "No order is reassigned.",
        "You can undo this later.",
    ]
    return " ".join(filter(None, sentences))


def format_count(count: int, noun: str) -> str:
    """Return a number with its noun: "1 order", "2 orders"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
