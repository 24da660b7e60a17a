"""JSON schemas of reports."""

from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from pannier.fleet.schemas import DriverId
from pannier.payments.transactions.schemas import Currency
from pannier.reports.catalog import Unit
from pannier.web.times import Day

ReportName = Literal[
    "volume", "on-time", "first-attempt", "proofs", "drivers", "kilometres", "idle", "revenue",
    "margin", "devices", "webhooks",
]  # fmt: skip
Period = Literal["day", "week", "month"]
MAX_DAYS = 366
DEFAULT_DAYS = 30
Figures = Annotated[
    dict[str, float | int | None],
    Meta(
        description="The figures by name. A share is null where its whole is zero.",
        examples=[{"with_window": 10, "on_time": 9, "on_time_share": 90.0}],
    ),
]


class ReportFilters(
    msgspec.Struct, frozen=True, kw_only=True, rename={"since": "from", "until": "to"}
):
    """The days of a report, in the company's time zone."""

    since: Annotated[
        Day | None,
        Meta(description=f"The first day. Defaults to {DEFAULT_DAYS} days up to `to`."),
    ] = None
    until: Annotated[
        Day | None,
        Meta(description=f"The last day, at most {MAX_DAYS} days in total. Defaults to today."),
    ] = None
    by: Annotated[
        Period,
        Meta(
            description="The days of a row. Weeks begin on Monday. `drivers` has one row for each "
            "driver and all days."
        ),
    ] = "day"


class ReportFigureOut(msgspec.Struct, kw_only=True):
    """A column of a report."""

    name: Annotated[str, Meta(examples=["on_time"])]
    label: Annotated[str, Meta(examples=["On time"])]
    unit: Annotated[
        Unit,
        Meta(
            description="`money` is in whole minor units of the row's currency. The CSV has major "
            "units, kilometres, hours, and seconds for `milliseconds`."
        ),
    ]
    main: Annotated[bool, Meta(description="Whether it is a main figure of the report.")]


class ReportDriver(msgspec.Struct, kw_only=True):
    """A driver of a report, who may be deleted."""

    id: DriverId
    name: Annotated[str, Meta(examples=["Ada Lovelace"])]


class ReportTotal(msgspec.Struct, kw_only=True):
    """The figures of all days. With amounts, there is one for each currency."""

    currency: Annotated[Currency | None, Meta(description="Null in reports without amounts.")]
    figures: Figures


class ReportRow(ReportTotal, kw_only=True):
    """The figures of a day, or of several days."""

    day: Annotated[date, Meta(description="The first of its days.", examples=["2026-01-31"])]
    until: Annotated[date, Meta(description="The last of its days.", examples=["2026-01-31"])]
    driver: Annotated[
        ReportDriver | None, Meta(description="In `drivers`, whose figures they are.")
    ] = None


class ReportInfo(msgspec.Struct, kw_only=True):
    """A report."""

    name: ReportName
    title: Annotated[str, Meta(examples=["On time"])]
    description: Annotated[
        str, Meta(examples=["Completed orders with a time window, and those completed in time."])
    ]


class ReportOut(ReportInfo, kw_only=True, rename={"since": "from", "until": "to"}):
    """A report by the company's days. Today's figures are those of this moment."""

    since: Annotated[date, Meta(description="The first day.", examples=["2026-01-01"])]
    until: Annotated[date, Meta(description="The last day.", examples=["2026-01-31"])]
    time_zone: Annotated[str, Meta(examples=["Asia/Singapore"])]
    complete: Annotated[
        bool,
        Meta(
            description="False while some earlier days are computed for the first time, or again "
            "after a change. Retry after a minute."
        ),
    ]
    figures: list[ReportFigureOut]
    totals: list[ReportTotal]
    rows: Annotated[
        list[ReportRow],
        Meta(
            description="Earliest first. Days without amounts in a currency are left out. "
            "In `drivers`, the 100 drivers with the most completed orders."
        ),
    ]
