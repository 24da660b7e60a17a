"""The reports: their figures, and which columns of the days they add up."""

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

# Amounts are in minor units, distances in metres, and times in seconds.
Unit = Literal["count", "percent", "money", "metres", "seconds", "milliseconds"]
Breakdown = Literal["day", "currency", "driver"]


class ReportFigure(NamedTuple):
    """A figure of a report: a column of the days, or the share of one column in another."""

    name: str
    label: str
    column: str
    unit: Unit = "count"
    # For a share: the columns that add up to a hundred per cent.
    whole: tuple[str, ...] = ()
    # Columns to subtract.
    minus: tuple[str, ...] = ()
    # For a histogram: the share of its values that are at most this figure.
    quantile: float | None = None


class Report(NamedTuple):
    """A report by company days. `main` are the figures that a chart shows."""

    name: str
    title: str
    description: str
    figures: tuple[ReportFigure, ...]
    main: tuple[str, ...]
    # The tables of the parts of a day's figures that it adds up; see `parts.py`.
    parts: tuple[str, ...] = ("report_days",)
    # Amounts are never added up across currencies, so these have a row for each. A report by driver
    # has a row for each driver and all days.
    breakdown: Breakdown = "day"
    # The resource whose scope keys need.
    resource: str = "reports"

    @property
    def columns(self) -> set[str]:
        """The columns of the days that its figures need."""
        return {
            name
            for figure in self.figures
            if figure.quantile is None
            for name in (figure.column, *figure.whole, *figure.minus)
        }


def _count(name: str, label: str) -> ReportFigure:
    return ReportFigure(name, label, name)


_COSTS: Final = ("distance_cost", "time_cost")
_REPORTS: Final = (
    Report(
        "volume",
        "Volume",
        "Orders created, completed and canceled, and failed attempts.",
        (
            _count("created", "Created"),
            _count("completed", "Completed"),
            _count("canceled", "Canceled"),
            _count("failed_attempts", "Failed attempts"),
        ),
        ("created", "completed"),
    ),
    Report(
        "on-time",
        "On time",
        "Completed orders with a time window, and those completed before its end.",
        (
            _count("with_window", "With a time window"),
            _count("on_time", "On time"),
            ReportFigure("on_time_share", "Share", "on_time", "percent", ("with_window",)),
        ),
        ("on_time_share",),
    ),
    Report(
        "first-attempt",
        "First attempt",
        "Orders that ended after an attempt to deliver, and those whose first attempt succeeded.",
        (
            _count("attempted", "Attempted"),
            _count("first_attempt", "First attempt succeeded"),
            ReportFigure(
                "first_attempt_share", "Share", "first_attempt", "percent", ("attempted",)
            ),
        ),
        ("first_attempt_share",),
    ),
    Report(
        "proofs",
        "Proofs",
        "Proofs of delivery by method.",
        (
            _count("proofs_scan", "Scans"),
            _count("proofs_signature", "Signatures"),
            _count("proofs_photo", "Photos"),
            _count("proofs_sms", "SMS codes"),
            _count("proofs_override", "Overrides"),
        ),
        ("proofs_scan", "proofs_signature", "proofs_photo", "proofs_sms", "proofs_override"),
    ),
    Report(
        "drivers",
        "Drivers",
        "The orders of each driver: completed, on time, and at the first attempt. Kilometres and "
        "hours are those of trips, with stops of up to an hour between them.",
        (
            _count("completed", "Completed"),
            _count("failed_attempts", "Failed attempts"),
            ReportFigure("on_time_share", "On time", "on_time", "percent", ("with_window",)),
            ReportFigure(
                "first_attempt_share", "First attempt", "first_attempt", "percent", ("attempted",)
            ),
            ReportFigure("distance", "Distance", "distance", "metres"),
            ReportFigure("worked", "Hours", "worked", "seconds"),
        ),
        ("completed", "failed_attempts"),
        parts=("report_drivers", "report_driver_trips"),
        breakdown="driver",
        resource="drivers",
    ),
    Report(
        "kilometres",
        "Kilometres",
        "The trips of vehicles, and of drivers' phones without a vehicle. A trip counts on the day "
        "on which it starts, and once if several devices report it.",
        (_count("trips", "Trips"), ReportFigure("distance", "Distance", "distance", "metres")),
        ("distance",),
        parts=("report_trips",),
        resource="devices",
    ),
    Report(
        "idle",
        "Idle time",
        "Time that vehicles moved and stood during their trips. A stop of over three minutes ends "
        "a trip, and does not count.",
        (
            ReportFigure("moving", "Moving", "moving", "seconds"),
            ReportFigure("idle", "Idle", "idle", "seconds"),
            ReportFigure("idle_share", "Share", "idle", "percent", ("idle", "moving")),
        ),
        ("moving", "idle"),
        parts=("report_trips",),
        resource="devices",
    ),
    Report(
        "revenue",
        "Revenue",
        "What was charged and is owed or paid, by the day on which the transaction was opened. "
        "A later refund or void reduces the revenue of that day.",
        (
            _count("transactions", "Transactions"),
            ReportFigure("revenue", "Revenue", "revenue", "money"),
            ReportFigure("refunded", "Refunded", "refunded", "money"),
        ),
        ("revenue",),
        parts=("report_money",),
        breakdown="currency",
        resource="transactions",
    ),
    Report(
        "margin",
        "Margin",
        "Revenue less what trips cost: kilometres by the cost of the vehicle, and hours by that of "
        "the driver. Costs that are not set are not deducted.",
        (
            ReportFigure("revenue", "Revenue", "revenue", "money"),
            ReportFigure("distance_cost", "Distance cost", "distance_cost", "money"),
            ReportFigure("time_cost", "Time cost", "time_cost", "money"),
            ReportFigure("margin", "Margin", "revenue", "money", minus=_COSTS),
            ReportFigure("margin_share", "Share", "revenue", "percent", ("revenue",), _COSTS),
        ),
        ("revenue", "margin"),
        parts=("report_money", "report_costs"),
        breakdown="currency",
        resource="transactions",
    ),
    Report(
        "devices",
        "Devices",
        "Days and hours with readings from each device, readings, and refused readings. Drivers' "
        "phones do not count.",
        (
            ReportFigure("device_days", "Device days", "devices"),
            ReportFigure("days_heard", "With readings", "heard"),
            ReportFigure("heard_share", "Share", "heard", "percent", ("devices",)),
            _count("silent_hours", "Silent hours"),
            ReportFigure("silent_share", "Silent", "silent_hours", "percent", ("device_hours",)),
            _count("readings", "Readings"),
            _count("refused", "Refused"),
        ),
        ("silent_share",),
        parts=("report_devices",),
        resource="devices",
    ),
    Report(
        "webhooks",
        "Webhooks",
        "Deliveries to your endpoints, by the day of their events: attempts, how many succeeded, "
        "the time until a delivery succeeded, and endpoints that were disabled.",
        (
            _count("deliveries", "Deliveries"),
            _count("attempts", "Attempts"),
            _count("succeeded", "Succeeded"),
            ReportFigure("success_share", "Share", "succeeded", "percent", ("attempts",)),
            ReportFigure("median_delay", "Median delay", "delays", "milliseconds", quantile=0.5),
            ReportFigure("p95_delay", "95% within", "delays", "milliseconds", quantile=0.95),
            _count("disabled", "Disabled"),
        ),
        ("success_share",),
        parts=("report_webhooks",),
        resource="webhooks",
    ),
)
REPORTS: Final[Mapping[str, Report]] = {report.name: report for report in _REPORTS}
