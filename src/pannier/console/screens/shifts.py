"""A driver's shifts: weekly shifts, days off and days with other hours."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import responses, session, shifts
from pannier.console.api_client import ApiClient
from pannier.console.field_rows import normalise_rows
from pannier.console.forms import STALE_MESSAGE, Field, Form, FormErrors
from pannier.console.records import load_zone
from pannier.console.screens.drivers import DRIVERS
from pannier.console.session import FormData
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.versions import PreconditionFailed

RECORD_PATH: Final = "/v1/drivers/{driver_id}"
MODE: Final = "works"
ANY_TIME, WEEKLY = "any_time", "weekly"
MODES: Final = (
    (ANY_TIME, "At any time", "clock", "Except on the days below."),
    (WEEKLY, "In shifts", "calendar-clock", "Every week, except on the days below."),
)


@get("/drivers/{identifier:str}/shifts")
async def show_shifts_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show the form of a driver's shifts."""
    client = ApiClient(exchange)
    driver = await client.get(RECORD_PATH, driver_id=identifier)
    return await _render_form(client, driver, _fill_form(driver, await load_zone(client)))


@post("/drivers/{identifier:str}/shifts", status_code=200)
async def change_shifts(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a driver's shifts, or add or remove a row of the form."""
    client, submitted_data = ApiClient(exchange), session.read_form(exchange)
    driver = await client.get(RECORD_PATH, driver_id=identifier)
    form_data = normalise_rows(submitted_data, shifts.LISTS, submitted_data.get("do", ""))
    values = Form(_list_fields(form_data)).refill(form_data)
    if submitted_data.get("do"):
        return await _render_form(client, driver, values)
    exception_rows = shifts.ExceptionRows([], [])
    try:
        body_fields = Form(_list_fields(form_data)).make_body(
            form_data, await load_zone(client), "edit"
        )
        exception_rows = shifts.from_exception_rows(shifts.EXCEPTIONS.make_body(body_fields))
        body = {
            "shifts": _read_shifts(form_data, body_fields),
            "shift_exceptions": exception_rows.exceptions,
        }
        await client.send(
            "PATCH", RECORD_PATH, body, version=submitted_data.get("version"), driver_id=identifier
        )
    except Problem as problem:
        await client.undo(problem)
        return await _render_form(client, driver, values, problem, exception_rows)
    return responses.redirect_with_flash(
        exchange, DRIVERS.record_url(identifier), message="Shifts saved."
    )


def _read_shifts(
    form_data: FormData, body_fields: Mapping[str, Any]
) -> list[dict[str, Any]] | None:
    """Return the weekly shifts, or None for a driver who works at any time."""
    if form_data.get(MODE) != WEEKLY:
        return None
    return shifts.from_shift_rows(shifts.WEEKLY.make_body(body_fields))


def _fill_form(driver: Any, zone: ZoneInfo) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the form's values by field name."""
    return {
        MODE: ANY_TIME if driver["shifts"] is None else WEEKLY,
        **shifts.WEEKLY.fill(shifts.to_shift_rows(driver["shifts"]), zone),
        **shifts.EXCEPTIONS.fill(shifts.to_exception_rows(driver["shift_exceptions"]), zone),
    }


def _list_fields(values: Mapping[str, str]) -> list[Field]:
    return [cell for rows in shifts.LISTS for cell in rows.list_fields(rows.count(values))]


async def _render_form(
    client: ApiClient,
    driver: Any,  # noqa: ANN401 - JSON
    values: Mapping[str, str],
    problem: Problem | None = None,
    rows: shifts.ExceptionRows | None = None,
) -> Response[bytes]:
    return await responses.render_page(
        client, "drivers/shifts.html", title=f"Shifts: {driver['name']}", records=DRIVERS,
        record=driver, filled=dict(values), lists=shifts.LISTS, modes=MODES, mode=MODE,
        refusal=FormErrors() if problem is None else _to_errors(problem, values, rows),
        status=problem.status if problem else 200,
    )  # fmt: skip


def _to_errors(
    problem: Problem, values: Mapping[str, str], rows: shifts.ExceptionRows | None
) -> FormErrors:
    """Assign the problem's errors to the rows of the form."""
    if isinstance(problem, PreconditionFailed):
        return FormErrors(STALE_MESSAGE)
    if not problem.fields:
        return FormErrors.from_problem(problem, Form(()))
    fields = [shifts.to_form_error(error, rows) for error in problem.fields]
    whole_fields = [
        Field(name=name, label="")
        for field_rows in shifts.LISTS
        for name in (
            field_rows.name,
            *(f"{field_rows.name}[{number}]" for number in range(field_rows.count(values))),
        )
    ]
    return FormErrors.from_problem(
        Invalid(fields=fields), Form([*_list_fields(values), *whole_fields])
    )


handlers: Final = [show_shifts_form, change_shifts]
