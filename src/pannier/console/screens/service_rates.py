"""Service rates, with an editor that prices a shipment while one types."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

from litestar import Response

from pannier.console import door, lookup, render, shipments, tariff
from pannier.console.amounts import in_major, in_minor, major
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.entries import Entries, sent_of, tidied
from pannier.console.forms import Field, Form, Refusal
from pannier.console.lookup import named_by
from pannier.console.records import PAGE, Records, asked, zone_of
from pannier.console.tariff import METHODS, Known, Part
from pannier.errors import Field as Offence
from pannier.errors import Invalid, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

VERSION: Final = re.compile("[0-9]{1,9}")
# The number of the first row shown, of a long list.
ROW_NUMBER: Final = re.compile(r"[0-9]{1,3}")
API: Final = "/int/v1/service-rates"
ONE: Final = f"{API}/{{service_rate_id}}"
PREVIEW: Final = f"{API}/preview"
TRY: Final = "try."
TRIED: Final = Form(
    tuple(
        Field(name=f"{TRY}{field.name}", label=field.label, kind=field.kind, help=field.help,
              resource=field.resource, placeholder=field.placeholder)
        for field in shipments.FIELDS
    )
)  # fmt: skip
# The initial values of a new rate.
BEGINNING: Final = {
    "status": "active",
    tariff.METHOD: "per_meter",
    "per_meter_unit": "km",
    "distance_rounding": "exact",
    "max_distance_unit": "km",
    "zone_applies_to": "both",
}
ROW: Final = {"dimensions_unit": "cm", "weight_unit": "kg", "priority": "0"}


class Tried(NamedTuple):
    """The price of a trial shipment, or the errors."""

    priced: Any = None
    # The names of the pickup and the drop-off.
    between: Sequence[str] = ()
    wrong: Sequence[str] = ()
    problem: Problem | None = None

    @property
    def rate(self) -> Any:  # noqa: ANN401 - JSON
        """The rate's result, if the shipment was valid."""
        return self.priced["rates"][0] if self.priced and self.priced["rates"] else None


async def shown_beside(desk: Desk, rate: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Price the shipment in the query by this rate, or an example without one."""
    given = asked(desk.exchange)
    row = given.pop("row", "")
    zone = await zone_of(desk)
    may = desk.may("POST", PREVIEW)
    filled = given or (await shipments.usual(desk) if may else {})
    tried = Tried()
    if may and filled:
        sent = sent_of(filled, ())
        tried = await priced(
            desk, shipments.FORM, sent, zone, {"service_rate": rate["id"]}, rate["currency"]
        )
    first = int(row) if ROW_NUMBER.fullmatch(row) else 0
    return {"first": first, "page": PAGE,
            "tried": tried, "filled": filled, "shipment": shipments.FORM, "may_try": may,
            "way": METHODS[rate[tariff.METHOD]], "lists": tariff.spoken(rate),
            "known": {**dict(await known_to(desk)), **await carriers(desk, rate)}}  # fmt: skip


class Rates(Records):
    """The pages of rates, with a summary of each price."""

    summary = staticmethod(tariff.summary)
    major = staticmethod(major)

    @staticmethod
    def told(entries: Entries, rows: Sequence[Mapping[str, Any]]) -> list[Field]:
        """List the columns of a list that have a value. Units are shown with their numbers."""
        return [
            column
            for column in entries.columns
            if column.name == "where"
            or (
                not column.name.endswith("_unit")
                and any(row.get(column.name) is not None for row in rows)
            )
        ]


RATES: Final = Rates(
    API,
    titled="service_name",
    columns=(
        Column("Name", "service_name", "link"),
        Column("Price", "id"),
        Column("Service", "service_type"),
        Column("Status", "status", "standing"),
        Column("Storefronts", "public", "switch", wide=True),
        Column("Valid until", "valid_until", "time", wide=True),
        Column("Updated", "updated_at", "ago", wide=True),
    ),
    filters=(
        Field(name="query", label="Name"),
        Field(name="status", label="Status", kind="choice", options=tariff.STATUSES),
        Field(name="public", label="Storefronts", kind="choice",
              options=(("true", "Visible"), ("false", "Hidden"))),
        Field(name="service_type", label="Service", placeholder="Service"),
    ),
    form=Form(()),
    listing="service-rates/list.html",
    reading="service-rates/record.html",
    beside=shown_beside,
    empty="No service rates yet. Add one to price orders and storefront quotes.",
)  # fmt: skip


async def known_to(desk: Desk) -> Known:
    """Load the records that a rate can refer to."""
    found = {}
    for name in ("service-areas", "zones", "order-configs"):
        rows = (await desk.rows(f"/v1/{name}", {"limit": "100"})).rows
        found[name] = [(row["id"], row["name"]) for row in rows]
    return Known(
        areas=found["service-areas"], zones=found["zones"], order_configs=found["order-configs"]
    )


async def carriers(desk: Desk, rate: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Load the name of the rate's vendor or contact."""
    name = rate["facilitator"]
    if name is None:
        return {}
    return await named_by(desk, "vendors" if name.startswith("vendor_") else "contacts", [name])


async def priced(
    desk: Desk, form: Form, sent: door.Sent, zone: ZoneInfo, by: Mapping[str, Any], currency: str
) -> Tried:
    """Price the submitted shipment, or report errors."""
    try:
        sent = await lookup.resolve(desk, form.fields, sent)
        made = form.body(in_minor(sent, form.fields, currency), zone)
        shipment = shipments.body(made.get(TRY[:-1], made))
        told = await desk.act("POST", PREVIEW, {**shipment, **by})
        return Tried(told, await shipments.between(desk, shipment))
    except Problem as problem:
        return Tried(wrong=shipments.said(problem, shipments.LABELS), problem=problem)


class Editor:
    """The editor of a rate: its sections, and its lists and fields."""

    def __init__(self, desk: Desk, parts: Sequence[Part], zone: ZoneInfo) -> None:
        self.desk, self.parts, self.zone = desk, parts, zone

    @classmethod
    async def at(cls, desk: Desk) -> "Editor":
        return cls(desk, tariff.parts(await known_to(desk)), await zone_of(desk))

    @property
    def lists(self) -> list[Entries]:
        """All lists of a rate."""
        return [one for part in self.parts for one in part.lists]

    @property
    def fields(self) -> list[Field]:
        """All fields of a rate outside its lists."""
        return [field for part in self.parts for field in part.fields]

    def all(self, filled: Mapping[str, str]) -> list[Field]:
        """List all fields, including those of rows and of the trial shipment."""
        cells = (one.fields(one.count(filled)) for one in self.lists)
        return [*self.fields, *(cell for row in cells for cell in row), *TRIED.fields]

    def list_open_fields(self, sent: door.Sent) -> list[Field]:
        """List the fields of the open sections, including those of rows."""
        parts = [part for part in self.parts if part.holds(sent)]
        lists = [one for part in parts for one in part.lists]
        cells = [cell for one in lists for cell in one.fields(one.count(sent))]
        return [*(field for part in parts for field in part.fields), *cells]

    def of_record(self, rate: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
        """Return a rate's values by field name."""
        rows = [{**row, "where": row["zone"] or row["service_area"]} for row in rate["zone_fees"]]
        told = {**rate, "zone_fees": rows}
        filled = Form([*self.fields, _method()]).filled(told, self.zone)
        for one in self.lists:
            filled |= one.filled(told[one.name], self.zone)
        return in_major(filled, self.all(filled), rate["currency"])

    def typed(self, sent: door.Sent) -> dict[str, str]:
        """Return the input by field name, to show it again."""
        return Form(self.all(sent)).typed(sent)

    def body(self, sent: door.Sent, before: Mapping[str, str] | None = None) -> dict[str, Any]:
        """Make a rate's body from the open sections; in a change, from changed fields only."""
        open_parts = [part for part in self.parts if part.holds(sent)]
        fields = [field for part in open_parts for field in part.fields]
        lists = [one for part in open_parts for one in part.lists]
        cells = [cell for one in lists for cell in one.fields(one.count(sent))]
        minor = in_minor(sent, [*fields, *cells], sent.get("currency", "").upper())
        which = Form([*fields, _method()])
        body = self._read(which, minor, before)
        rows = Form(cells).body(minor, self.zone, "edit")
        for one in lists:
            if before is None or _rows(self.typed(sent), one) != _rows(before, one):
                body[one.name] = [_placed(row) for row in one.body(rows)]
        return body

    def _read(
        self, form: Form, minor: door.Sent, before: Mapping[str, str] | None
    ) -> dict[str, Any]:
        if before is None:
            return form.body(minor, self.zone)
        known = in_minor(sent_of(before, ()), form.fields, before["currency"])
        return form.body(minor, self.zone, "edit", {**before, **known})

    async def tried(self, sent: door.Sent) -> Tried:
        """Price the trial shipment by the rate as typed, saved or not."""
        if not sent.get(f"{TRY}pickup") and not sent.get(f"{TRY}dropoff"):
            return Tried()
        labels = {field.name: field.label for field in self.all(sent)}
        try:
            sent = await lookup.resolve(self.desk, self.list_open_fields(sent), sent)
            draft = self.body(sent)
        except Problem as problem:
            return Tried(wrong=shipments.said(problem, labels), problem=problem)
        currency = sent.get("currency", "").upper()
        told = await priced(self.desk, TRIED, sent, self.zone, {"rate": draft}, currency)
        if told.problem is None or not any(
            one.path.startswith("rate.") for one in told.problem.fields
        ):
            return told
        wrong = Invalid(fields=[_own(one) for one in told.problem.fields])
        return Tried(wrong=shipments.said(wrong, labels), problem=wrong)

    async def show(
        self,
        rate: Any,  # noqa: ANN401 - JSON
        filled: Mapping[str, str],
        tried: Tried,
        problem: Problem | None = None,
    ) -> Response[bytes]:
        refusal = Refusal()
        if problem is not None:
            told = (
                Invalid(fields=[_own(one) for one in problem.fields]) if problem.fields else problem
            )
            refusal = Refusal.of(told, Form([*self.all(filled), *self._whole(filled)]))
        title = "New service rate" if rate is None else f"Edit {rate['service_name']}"
        return await render.page(
            self.desk, "service-rates/form.html", title=title, records=RATES, record=rate,
            filled={**filled}, refusal=refusal, editor=self, tried=tried, methods=METHODS,
            trying=TRIED, row=ROW, status=problem.status if problem else 200,
        )  # fmt: skip

    def _whole(self, filled: Mapping[str, str]) -> Iterable[Field]:
        """Yield a field for each list and row, to show errors about the whole of it."""
        for one in self.lists:
            yield Field(name=one.name, label=one.label)
            for number in range(one.count(filled)):
                yield Field(name=f"{one.name}[{number}]", label=one.label)
        yield _method()


def _method() -> Field:
    return Field(name=tariff.METHOD, label="Method", required=True)


def _rows(filled: Mapping[str, str], of: Entries) -> dict[str, str]:
    return {name: text for name, text in filled.items() if name.startswith(f"{of.name}[")}


def _placed(row: dict[str, Any]) -> dict[str, Any]:
    """Name a zone or a service area in its own field; the form has one for both."""
    if "where" not in row:
        return row
    where = row.pop("where")
    name = "zone" if str(where).startswith("zone_") else "service_area"
    return {**row, name: where} if where else row


def _own(offence: Offence) -> Offence:
    """Convert an error's path from the API's body to the editor's field."""
    path = offence.path.removeprefix("rate.")
    head, _, name = path.rpartition(".")
    if path.startswith("zone_fees[") and name in {"zone", "service_area"}:
        path = f"{head}.where"
    return Offence(path, offence.message)


async def usual(desk: Desk) -> dict[str, str]:
    """Load the example shipment, with the names of the trial form."""
    return {f"{TRY}{name}": value for name, value in (await shipments.usual(desk)).items()}


@get("/service-rates/new")
async def new(exchange: Exchange) -> Response[bytes]:
    """Show the form of a new rate, in the company's currency."""
    desk = Desk(exchange)
    editor = await Editor.at(desk)
    currency = (await desk.get("/int/v1/settings"))["currency"]
    filled = {**BEGINNING, "currency": currency or "", **await usual(desk), **asked(exchange)}
    return await editor.show(None, filled, Tried())


@get("/service-rates/{identifier:str}/edit")
async def edit(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Show a rate in the editor, with the price of an example shipment."""
    desk = Desk(exchange)
    rate = await desk.get(ONE, service_rate_id=identifier)
    editor = await Editor.at(desk)
    filled = editor.of_record(rate) | await usual(desk)
    tried = await editor.tried(sent_of(filled, editor.all(filled)))
    return await editor.show(rate, filled, tried)


@post("/service-rates/new", status_code=200)
async def create(exchange: Exchange) -> Response[bytes]:
    """Save a new rate, or apply another command of the form."""
    desk, sent = Desk(exchange), door.sent(exchange)
    editor = await Editor.at(desk)
    typed = tidied(sent, editor.lists, sent.get("do", ""))
    if sent.get("do"):
        return await _redone(editor, None, typed)
    try:
        read = await lookup.resolve(desk, editor.list_open_fields(typed), typed)
        made = await desk.act("POST", API, editor.body(read))
    except Problem as problem:
        await desk.undo(problem)
        return await editor.show(None, editor.typed(typed), Tried(), problem)
    return render.led(exchange, RATES.address(made["id"]), said="Service rate saved.")


@post("/service-rates/{identifier:str}/edit", status_code=200)
async def change(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Save a rate as its next version, or apply another command of the form."""
    desk, sent = Desk(exchange), door.sent(exchange)
    editor = await Editor.at(desk)
    typed = tidied(sent, editor.lists, sent.get("do", ""))
    rate = await desk.get(ONE, service_rate_id=identifier)
    # The version that the operator saw, so that a concurrent change is not overwritten.
    version = sent.get("version", str(rate["version"]))
    rate["version"] = int(version) if VERSION.fullmatch(version) else rate["version"]
    if sent.get("do"):
        return await _redone(editor, rate, typed)
    try:
        before = editor.of_record(rate)
        read = await lookup.resolve(desk, editor.list_open_fields(typed), typed, before)
        body = editor.body(read, before)
        await desk.act("PATCH", ONE, body, service_rate_id=identifier, version=version)
    except Problem as problem:
        await desk.undo(problem)
        return await editor.show(rate, editor.typed(typed), Tried(), problem)
    return render.led(exchange, RATES.address(identifier), said="Saved as a new version.")


async def _redone(editor: Editor, rate: Any, typed: door.Sent) -> Response[bytes]:  # noqa: ANN401 - JSON
    """Show the form with the input, and the price of the trial shipment."""
    return await editor.show(rate, editor.typed(typed), await editor.tried(typed))


handlers: Final = [new, create, edit, change, *RATES.handlers("list", "read", "delete")]
