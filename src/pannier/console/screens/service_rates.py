"""Service rates, with an editor that shows the price of a sample shipment."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import lookup, rate_summaries, responses, session, shipments, tariff
from pannier.console.amounts import to_major, to_major_amounts, to_minor_amounts
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.field_rows import FieldRows, normalise_rows, to_form_data
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.rate_references import load_partner_names, load_references
from pannier.console.rate_trial import (
    PREVIEW,
    TRIAL_FORM,
    TRIAL_PREFIX,
    TrialResult,
    load_trial_example,
    price_shipment,
)
from pannier.console.records import PAGE_SIZE, Records, load_zone, read_query
from pannier.console.tariff import METHODS, RateSection
from pannier.errors import FieldError as Offence
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

VERSION_PATTERN: Final = re.compile("[0-9]{1,9}")
# The number of the first row to show of a long list, in the query.
ROW_NUMBER: Final = re.compile(r"[0-9]{1,3}")
API: Final = "/int/v1/service-rates"
RECORD_PATH: Final = f"{API}/{{service_rate_id}}"
# The initial values of a new rate.
NEW_RATE: Final = {
    "status": "active",
    tariff.METHOD: "per_meter",
    "per_meter_unit": "km",
    "distance_rounding": "exact",
    "max_distance_unit": "km",
    "zone_applies_to": "both",
}
NEW_ROW: Final = {"dimensions_unit": "cm", "weight_unit": "kg", "priority": "0"}


async def load_related(client: ApiClient, rate: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Load what the rate's page shows besides the rate, with the price of a trial shipment."""
    query = read_query(client.exchange)
    row = query.pop("row", "")
    zone = await load_zone(client)
    can_price = client.is_allowed("POST", PREVIEW)
    values = query or (await shipments.load_example(client) if can_price else {})
    trial = TrialResult()
    if can_price and values:
        form_data = to_form_data(values, ())
        trial = await price_shipment(
            client, shipments.FORM, form_data, zone, {"service_rate": rate["id"]}, rate["currency"]
        )
    first_row = int(row) if ROW_NUMBER.fullmatch(row) else 0
    return {
        "first": first_row,
        "page": PAGE_SIZE,
        "trial": trial,
        "filled": values,
        "shipment": shipments.make_form(rate["currency"]),
        "may_try": can_price,
        "way": METHODS[rate[tariff.METHOD]],
        "lists": tariff.list_fee_rows(rate),
        "names_by_id": {
            **dict(await load_references(client)),
            **await load_partner_names(client, rate),
        },
    }


class Rates(Records):
    """The pages of rates, with a summary of each price."""

    summarise = staticmethod(rate_summaries.summarise)
    major = staticmethod(to_major)

    @staticmethod
    def list_used_columns(entries: FieldRows, rows: Sequence[Mapping[str, Any]]) -> list[Field]:
        """List the columns with a value in any row. Units belong to the column of their number."""
        return [
            column
            for column in entries.columns
            if column.name == "where"
            or (
                not column.name.endswith("_unit")
                and any(row.get(column.name) is not None for row in rows)
                and (column.name != "dates" or any(row["dates"] for row in rows))
            )
        ]


RATES: Final = Rates(
    API,
    title_path="service_name",
    columns=(
        Column("Name", "service_name", "link"),
        Column("Price", "id"),
        Column("Service code", "service_type"),
        Column("Status", "status", "standing"),
        Column("Storefront visibility", "public", "switch", wide=True),
        Column("Valid until", "valid_until", "time", wide=True),
        Column("Updated", "updated_at", "ago", wide=True),
    ),
    filters=(
        Field(name="query", label="Name"),
        Field(name="status", label="Status", kind="choice", options=tariff.STATUSES),
        Field(name="public", label="Storefront visibility", kind="choice",
              options=(("true", "Visible"), ("false", "Hidden"))),
        Field(name="service_type", label="Service code", placeholder="Service code"),
    ),
    form=Form(()),
    list_template="service-rates/list.html",
    record_template="service-rates/record.html",
    load_related=load_related,
    empty="No service rates yet. Add one to price orders and storefront quotes.",
)  # fmt: skip


class RateEditor:
    """The editor of a rate, with its sections, lists and fields."""

    def __init__(self, client: ApiClient, sections: Sequence[RateSection], zone: ZoneInfo) -> None:
        self.client, self.sections, self.zone = client, sections, zone

    @classmethod
    async def open(cls, client: ApiClient) -> "RateEditor":
        return cls(
            client, tariff.list_sections(await load_references(client)), await load_zone(client)
        )

    @property
    def lists(self) -> list[FieldRows]:
        """All lists of a rate."""
        return [field_rows for section in self.sections for field_rows in section.lists]

    @property
    def fields(self) -> list[Field]:
        """All fields of a rate outside its lists."""
        return [field for section in self.sections for field in section.fields]

    def list_fields(self, values: Mapping[str, str]) -> list[Field]:
        """List all fields, including those of rows and of the trial shipment."""
        cells = (field_rows.list_fields(field_rows.count(values)) for field_rows in self.lists)
        return [*self.fields, *(cell for row in cells for cell in row), *TRIAL_FORM.fields]

    def list_open_fields(self, form_data: session.FormData) -> list[Field]:
        """List the fields of the open sections, including those of rows."""
        sections = [section for section in self.sections if section.is_open(form_data)]
        lists = [field_rows for section in sections for field_rows in section.lists]
        cells = [cell for rows in lists for cell in rows.list_fields(rows.count(form_data))]
        return [*(field for section in sections for field in section.fields), *cells]

    def fill(self, rate: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
        """Return a rate's values by field name."""
        bordered_rows = {
            name: [{**row, "where": row["zone"] or row["service_area"]} for row in rate[name]]
            for name in ("zone_fees", "surcharges")
        }
        customer_rows = [{"customer": customer} for customer in rate["customers"]]
        values = {**rate, **bordered_rows, "customers": customer_rows}
        field_values = Form([*self.fields, _make_method_field()]).fill(values, self.zone)
        for field_rows in self.lists:
            field_values |= field_rows.fill(values[field_rows.name], self.zone)
        return to_major_amounts(field_values, self.list_fields(field_values), rate["currency"])

    def refill(self, form_data: session.FormData) -> dict[str, str]:
        """Return the input by field name, to render the form again."""
        return Form(self.list_fields(form_data)).refill(form_data)

    def make_body(
        self, form_data: session.FormData, previous_values: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Build a rate's body from the open sections. A change has changed fields only."""
        open_sections = [section for section in self.sections if section.is_open(form_data)]
        fields = [field for section in open_sections for field in section.fields]
        lists = [field_rows for section in open_sections for field_rows in section.lists]
        cells = [cell for rows in lists for cell in rows.list_fields(rows.count(form_data))]
        minor_data = to_minor_amounts(
            form_data, [*fields, *cells], form_data.get("currency", "").upper()
        )
        form = Form([*fields, _make_method_field()])
        body = self._parse_fields(form, minor_data, previous_values)
        row_bodies = Form(cells).make_body(minor_data, self.zone, "edit")
        for field_rows in lists:
            if previous_values is None or _select_row_values(
                self.refill(form_data), field_rows
            ) != _select_row_values(previous_values, field_rows):
                body[field_rows.name] = [
                    _to_api_row(row) for row in field_rows.make_body(row_bodies)
                ]
        return body

    def _parse_fields(
        self, form: Form, minor_data: session.FormData, previous_values: Mapping[str, str] | None
    ) -> dict[str, Any]:
        if previous_values is None:
            return form.make_body(minor_data, self.zone)
        previous_data, currency = to_form_data(previous_values, ()), previous_values["currency"]
        previous_amounts = to_minor_amounts(previous_data, form.fields, currency)
        all_values = {**previous_values, **previous_amounts}
        return form.make_body(minor_data, self.zone, "edit", all_values)

    async def price_draft(self, form_data: session.FormData) -> TrialResult:
        """Price the trial shipment with the rate in the form, which may be unsaved."""
        if not form_data.get(f"{TRIAL_PREFIX}pickup") and not form_data.get(
            f"{TRIAL_PREFIX}dropoff"
        ):
            return TrialResult()
        labels = {field.name: field.label for field in self.list_fields(form_data)}
        try:
            form_data = await lookup.resolve_form(
                self.client, self.list_open_fields(form_data), form_data
            )
            draft = self.make_body(form_data)
        except Problem as problem:
            return TrialResult(errors=shipments.list_messages(problem, labels), problem=problem)
        currency = form_data.get("currency", "").upper()
        trial = await price_shipment(
            self.client, TRIAL_FORM, form_data, self.zone, {"rate": draft}, currency
        )
        if trial.problem is None or not any(
            error.path.startswith("rate.") for error in trial.problem.fields
        ):
            return trial
        invalid = Invalid(fields=[_to_editor_path(error) for error in trial.problem.fields])
        return TrialResult(errors=shipments.list_messages(invalid, labels), problem=invalid)

    async def render(
        self,
        rate: Any,  # noqa: ANN401 - JSON
        values: Mapping[str, str],
        trial: TrialResult,
        problem: Problem | None = None,
    ) -> Response[bytes]:
        form_errors = FormErrors()
        if problem is not None:
            errors = (
                Invalid(fields=[_to_editor_path(error) for error in problem.fields])
                if problem.fields
                else problem
            )
            form_errors = FormErrors.from_problem(
                errors, Form([*self.list_fields(values), *self._list_container_fields(values)])
            )
        title = "New service rate" if rate is None else f"Edit {rate['service_name']}"
        return await responses.render_page(
            self.client, "service-rates/form.html", title=title, records=RATES, record=rate,
            filled={**values}, refusal=form_errors, editor=self, trial=trial, methods=METHODS,
            trying=TRIAL_FORM, row=NEW_ROW, status=problem.status if problem else 200,
        )  # fmt: skip

    def _list_container_fields(self, values: Mapping[str, str]) -> Iterable[Field]:
        """Yield a field for each list and row, for errors about the list or row itself."""
        for field_rows in self.lists:
            yield Field(name=field_rows.name, label=field_rows.label)
            for number in range(field_rows.count(values)):
                yield Field(name=f"{field_rows.name}[{number}]", label=field_rows.label)
        yield _make_method_field()


def _make_method_field() -> Field:
    return Field(name=tariff.METHOD, label="Method", required=True)


def _select_row_values(values: Mapping[str, str], rows: FieldRows) -> dict[str, str]:
    return {name: text for name, text in values.items() if name.startswith(f"{rows.name}[")}


def _to_api_row(row: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON
    """Convert a row to the API's format. The form has one field for zones and service areas."""
    if "customer" in row:
        return row["customer"]
    if "where" not in row:
        return row
    area = row.pop("where")
    name = "zone" if str(area).startswith("zone_") else "service_area"
    return {**row, name: area} if area else row


def _to_editor_path(offence: Offence) -> Offence:
    """Convert an error's path in the request body to the path of an editor field."""
    path = offence.path.removeprefix("rate.")
    head, _, name = path.rpartition(".")
    if path.startswith(("zone_fees[", "surcharges[")) and name in {"zone", "service_area"}:
        path = f"{head}.where"
    return Offence(path, offence.message)


@get("/service-rates/new")
async def show_new_rate(exchange: Exchange) -> Response[bytes]:
    """Show the form of a new rate, in the company's currency."""
    client = ApiClient(exchange)
    editor = await RateEditor.open(client)
    currency = (await client.get("/int/v1/settings"))["currency"]
    values = {
        **NEW_RATE,
        "currency": currency or "",
        **await load_trial_example(client),
        **read_query(exchange),
    }
    return await editor.render(None, values, TrialResult())


@get("/service-rates/{identifier:str}/edit")
async def show_rate_form(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show a rate in the editor, with the price of an example shipment."""
    client = ApiClient(exchange)
    rate = await client.get(RECORD_PATH, service_rate_id=identifier)
    editor = await RateEditor.open(client)
    values = editor.fill(rate) | await load_trial_example(client)
    trial = await editor.price_draft(to_form_data(values, editor.list_fields(values)))
    return await editor.render(rate, values, trial)


@post("/service-rates/new", status_code=200)
async def create_rate(exchange: Exchange) -> Response[bytes]:
    """Save a new rate, or apply another command of the form."""
    client, submitted_data = ApiClient(exchange), session.read_form(exchange)
    editor = await RateEditor.open(client)
    form_data = normalise_rows(submitted_data, editor.lists, submitted_data.get("do", ""))
    if submitted_data.get("do"):
        return await _render_again(editor, None, form_data)
    try:
        resolved_data = await lookup.resolve_form(
            client, editor.list_open_fields(form_data), form_data
        )
        rate = await client.send("POST", API, editor.make_body(resolved_data))
    except Problem as problem:
        await client.undo(problem)
        return await editor.render(None, editor.refill(form_data), TrialResult(), problem)
    return responses.redirect_with_flash(
        exchange, RATES.record_url(rate["id"]), message="Service rate saved."
    )


@post("/service-rates/{identifier:str}/edit", status_code=200)
async def change_rate(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a rate as its next version, or apply another command of the form."""
    client, submitted_data = ApiClient(exchange), session.read_form(exchange)
    editor = await RateEditor.open(client)
    form_data = normalise_rows(submitted_data, editor.lists, submitted_data.get("do", ""))
    rate = await client.get(RECORD_PATH, service_rate_id=identifier)
    # The version in the form, so that a concurrent change is not overwritten.
    version = submitted_data.get("version", str(rate["version"]))
    rate["version"] = int(version) if VERSION_PATTERN.fullmatch(version) else rate["version"]
    if submitted_data.get("do"):
        return await _render_again(editor, rate, form_data)
    try:
        previous_values = editor.fill(rate)
        resolved_data = await lookup.resolve_form(
            client, editor.list_open_fields(form_data), form_data, previous_values
        )
        body = editor.make_body(resolved_data, previous_values)
        await client.send("PATCH", RECORD_PATH, body, service_rate_id=identifier, version=version)
    except Problem as problem:
        await client.undo(problem)
        return await editor.render(rate, editor.refill(form_data), TrialResult(), problem)
    return responses.redirect_with_flash(
        exchange, RATES.record_url(identifier), message="Saved as a new version."
    )


async def _render_again(
    editor: RateEditor,
    rate: Any,  # noqa: ANN401 - JSON
    form_data: session.FormData,
) -> Response[bytes]:
    """Render the form with the input, and the price of the trial shipment."""
    return await editor.render(rate, editor.refill(form_data), await editor.price_draft(form_data))


handlers: Final = [
    show_new_rate, create_rate, show_rate_form, change_rate,
    *RATES.make_handlers("list", "read", "delete"),
]  # fmt: skip
