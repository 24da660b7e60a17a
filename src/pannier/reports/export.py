"""Reports as CSV. They have at most a row for each day and currency, so they are not streamed."""

from collections.abc import Iterator
from typing import Final

from litestar import Response

from pannier.kit import money
from pannier.kit.spreadsheets import encode_rows, escape_formula
from pannier.reports.schemas import ReportOut, ReportRow

MEDIA_TYPE: Final = "text/csv; charset=utf-8; header=present"
SUFFIXES: Final = {"metres": "_km", "seconds": "_hours", "milliseconds": "_seconds"}


def make_response(report: ReportOut) -> Response[bytes]:
    """Respond with a report as a file."""
    name = f"{report.name}-{report.since}-{report.until}.csv"
    return Response(
        encode_rows(list_lines(report)),
        media_type=MEDIA_TYPE,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )


def list_lines(report: ReportOut) -> Iterator[list[object]]:
    """Yield the lines of the file, the names of the columns first."""
    has_currency = any(figure.unit == "money" for figure in report.figures)
    names = [figure.name + SUFFIXES.get(figure.unit, "") for figure in report.figures]
    has_driver = any(row.driver is not None for row in report.rows)
    keys = [*(["currency"] if has_currency else []), *(["driver", "name"] if has_driver else [])]
    yield ["day", "until", *keys, *names]
    for row in report.rows:
        cells: list[object] = [row.day.isoformat(), row.until.isoformat()]
        cells += [row.currency] if has_currency else []
        cells += [row.driver.id, escape_formula(row.driver.name)] if row.driver else []
        yield [*cells, *_list_cells(report, row)]


def _list_cells(report: ReportOut, row: ReportRow) -> Iterator[object]:
    """Yield the figures of a row in major units, which spreadsheets can add up."""
    for figure in report.figures:
        value = row.figures[figure.name]
        if figure.unit in {"metres", "milliseconds"} and value is not None:
            yield f"{value / 1000:.3f}"
        elif figure.unit == "seconds" and value is not None:
            yield f"{value / 3600:.4f}"
        elif figure.unit == "money" and row.currency is not None and isinstance(value, int):
            yield money.to_major_units(value, row.currency)
        else:
            yield value
