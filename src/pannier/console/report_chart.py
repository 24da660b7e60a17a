"""The charts of reports: a group of bars for each day.

Bars are placed in percent of the chart's width and in units of its fixed height.
"""

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
# The part of a day's width that its bars take.
FILLED_SHARE: Final = 0.72
STEPS: Final = (1, 2, 5, 10)
PERCENT: Final = 100


class Period(NamedTuple):
    """The first and last day of a group of bars."""

    start: date
    end: date

    def __str__(self) -> str:
        if self.start == self.end:
            return f"{self.start:%-d %b %Y}"
        return f"{self.start:%-d %b} to {self.end:%-d %b %Y}"


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
    # Positions and labels of the days and of the scale.
    days: Sequence[tuple[float, str]]
    scale: Sequence[tuple[float, str]]
    summary: str


def make_charts(report: Mapping[str, Any]) -> list[ReportChart]:
    """Make a chart of the main figures for each currency, or one without a currency."""
    periods = list(dict.fromkeys((row["day"], row["until"]) for row in report["rows"]))
    return [
        _make_chart(report, [Period(*map(date.fromisoformat, pair)) for pair in periods], total)
        for total in report["totals"]
    ]


def _make_chart(
    report: Mapping[str, Any], periods: Sequence[Period], total: Mapping[str, Any]
) -> ReportChart:
    currency = total["currency"]
    figures = [figure for figure in report["figures"] if figure["main"]]
    rows = {
        date.fromisoformat(row["day"]): row["figures"]
        for row in report["rows"]
        if row["currency"] == currency
    }
    values = [row[figure["name"]] or 0 for row in rows.values() for figure in figures]
    top = PERCENT if figures[0]["unit"] == "percent" else find_top(max([0, *values]))
    period_width = 100 / len(periods)
    bar_width = period_width * FILLED_SHARE / len(figures)
    margin = period_width * (1 - FILLED_SHARE) / 2
    bars = [
        ChartBar(
            x=round(number * period_width + margin + place * bar_width, 2),
            width=round(bar_width, 2),
            y=round(TOP + HEIGHT * (1 - value / top), 1),
            height=round(HEIGHT * value / top, 1),
            series=place + 1,
            title=f"{period}, {figure['label']}: {format_figure(value, figure, currency)}",
        )
        for number, period in enumerate(periods)
        for place, figure in enumerate(figures)
        if (value := rows.get(period.start, {}).get(figure["name"]))
    ]
    sums = ", ".join(
        f"{figure['label']} {format_figure(total['figures'][figure['name']], figure, currency)}"
        for figure in figures
    )
    return ReportChart(
        currency=currency or "",
        legend=[figure["label"] for figure in figures],
        bars=bars,
        days=_list_labels(periods, period_width),
        scale=[
            (TOP + HEIGHT * (1 - part), format_figure(round(top * part), figures[0], currency))
            for part in (0, 0.5, 1)
        ],
        summary=f"{report['title']} from {report['from']} to {report['to']}. Total: {sums}.",
    )


def _list_labels(periods: Sequence[Period], width: float) -> list[tuple[float, str]]:
    step = -(-len(periods) // MAX_LABELS)
    return [
        (round((number + 0.5) * width, 2), f"{periods[number].start:%-d %b}")
        for number in range(0, len(periods), step)
    ]


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
    return f"{format_number(value)}%" if figure["unit"] == "percent" else format_number(value)
