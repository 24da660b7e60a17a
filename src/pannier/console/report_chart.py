"""The charts of reports: a group of bars for each day.

Bars are placed in percent of the chart's width and in units of its fixed height.
"""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final, NamedTuple

from pannier.console.formatting import EMPTY_VALUE, format_number
from pannier.kit.money import Money

HEIGHT: Final = 200
# The room above the bars, for the highest label.
TOP: Final = 12
# The room below the bars, for the days.
AXIS: Final = 12
MAX_LABELS: Final = 8
MAX_LABEL_LENGTH: Final = 12
# Groups of bars in a chart. The table has all of them.
MAX_GROUPS: Final = 66
# The part of a day's width that its bars take.
FILLED_SHARE: Final = 0.72
STEPS: Final = (1, 2, 5, 10)
# The part of the height that a label of the scale needs.
MIN_GAP: Final = 0.1
PERCENT: Final = 100
# Charts of these units have round numbers of kilometres and hours.
UNIT_SIZES: Final = {"metres": 1000, "seconds": 3600, "milliseconds": 1000}
MILLISECONDS_PER_MINUTE: Final = 60_000
UNIT_LABELS: Final = {"metres": "km", "seconds": "h", "milliseconds": "s"}


class BarGroup(NamedTuple):
    """The label below a group of bars, and its full name."""

    label: str
    title: str


class ChartBar(NamedTuple):
    """A figure of a day. `series` is its number in the legend, from 1."""

    x: float
    width: float
    y: float
    height: float
    series: int
    title: str


class ReportChart(NamedTuple):
    """The bars of a report in one currency, with its scale and its legend."""

    currency: str
    legend: Sequence[str]
    bars: Sequence[ChartBar]
    # Positions and texts below the bars, and of the scale.
    labels: Sequence[tuple[float, str]]
    scale: Sequence[tuple[float, str]]
    summary: str


def make_charts(report: Mapping[str, Any]) -> list[ReportChart]:
    """Make a chart of the main figures for each currency, or one without a currency.

    A report without any figure has none.
    """
    if not any(any(row["figures"].values()) for row in report["rows"]):
        return []
    groups = {get_key(row): make_group(row) for row in report["rows"]}
    shown_groups = dict(list(groups.items())[:MAX_GROUPS])
    return [_make_chart(report, shown_groups, total) for total in report["totals"]]


def get_key(row: Mapping[str, Any]) -> str:
    """Return what the rows of a group have in common: the driver, or the first day."""
    return str(row["driver"]["id"] if row["driver"] else row["day"])


def make_group(row: Mapping[str, Any]) -> BarGroup:
    """Name the group of a row."""
    if row["driver"]:
        name = row["driver"]["name"]
        return BarGroup(name.partition(" ")[0][:MAX_LABEL_LENGTH], name)
    start, end = date.fromisoformat(row["day"]), date.fromisoformat(row["until"])
    title = f"{end:%-d %b %Y}" if start == end else f"{start:%-d %b} to {end:%-d %b %Y}"
    return BarGroup(f"{start:%-d %b}", title)


def _make_chart(
    report: Mapping[str, Any], groups: Mapping[str, BarGroup], total: Mapping[str, Any]
) -> ReportChart:
    currency = total["currency"]
    figures = [figure for figure in report["figures"] if figure["main"]]
    rows = {get_key(row): row["figures"] for row in report["rows"] if row["currency"] == currency}
    values = [row[figure["name"]] or 0 for row in rows.values() for figure in figures]
    unit = figures[0]["unit"]
    top = PERCENT if unit == "percent" else _find_unit_top(unit, values)
    # A loss is below the line of zero.
    bottom = -_find_unit_top(unit, [-value for value in values]) if min([0, *values]) < 0 else 0
    group_width = 100 / max(1, len(groups))
    bar_width = group_width * FILLED_SHARE / len(figures)
    margin = group_width * (1 - FILLED_SHARE) / 2
    bars = [
        ChartBar(
            x=round(number * group_width + margin + place * bar_width, 2),
            width=round(bar_width, 2),
            y=round(TOP + HEIGHT * (top - max(0, value)) / (top - bottom), 1),
            height=round(HEIGHT * abs(value) / (top - bottom), 1),
            series=place + 1,
            title=f"{group.title}, {figure['label']}: {format_figure(value, figure, currency)}",
        )
        for number, (key, group) in enumerate(groups.items())
        for place, figure in enumerate(figures)
        if (value := rows.get(key, {}).get(figure["name"]))
    ]
    sums = ", ".join(
        f"{figure['label']} {format_figure(total['figures'][figure['name']], figure, currency)}"
        for figure in figures
    )
    return ReportChart(
        currency=currency or "",
        legend=[figure["label"] for figure in figures],
        bars=bars,
        labels=_list_labels(list(groups.values()), group_width),
        scale=[
            (
                round(TOP + HEIGHT * (top - value) / (top - bottom), 1),
                format_figure(value, figures[0], currency),
            )
            for value in _list_scale(bottom, top)
        ],
        summary=f"{report['title']} from {report['from']} to {report['to']}. Total: {sums}.",
    )


def _list_labels(groups: Sequence[BarGroup], width: float) -> list[tuple[float, str]]:
    step = -(-len(groups) // MAX_LABELS)
    return [
        (round((number + 0.5) * width, 2), groups[number].label)
        for number in range(0, len(groups), step)
    ]


def _list_scale(bottom: int, top: int) -> list[int]:
    """List the values of the scale. Next to zero, one that would cover its label is left out."""
    if not bottom:
        return [0, round(top / 2), top]
    return [
        value for value in (bottom, 0, top) if not value or abs(value) > (top - bottom) * MIN_GAP
    ]


def _find_unit_top(unit: str, values: Sequence[float]) -> int:
    """Return the top of the scale: an even round number of the unit that people read."""
    size = UNIT_SIZES.get(unit, 1)
    return size * find_top(math.ceil(max([0, *values]) / size))


def find_top(highest: int) -> int:
    """Return an even round number that is at least the highest value."""
    magnitude = int(10 ** (len(str(max(1, highest))) - 1))
    return next(
        step * magnitude for step in STEPS if step * magnitude >= highest and step * magnitude > 1
    )


def format_figure(value: float | None, figure: Mapping[str, Any], currency: str | None) -> str:
    """Format a figure by its unit."""
    if value is None:
        return EMPTY_VALUE
    if figure["unit"] == "money" and currency:
        return Money(round(value), currency).format()
    if figure["unit"] == "milliseconds" and value >= MILLISECONDS_PER_MINUTE:
        return f"{format_number(round(value / MILLISECONDS_PER_MINUTE, 1))} min"
    if figure["unit"] in UNIT_LABELS:
        size, label = UNIT_SIZES[figure["unit"]], UNIT_LABELS[figure["unit"]]
        digits = 2 if figure["unit"] == "milliseconds" else 1
        return f"{format_number(round(value / size, digits))} {label}"
    return f"{format_number(value)}%" if figure["unit"] == "percent" else format_number(value)
