"""Settings of the company. Each section is saved on its own, with changed fields only."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.console import door, fields, lookup, render
from pannier.console.desk import Desk
from pannier.console.door import Sent
from pannier.console.forms import Field, Form, Refusal
from pannier.console.words import Zone
from pannier.errors import NotFound, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/int/v1/settings"
HOME: Final = "/console/settings"


class Part(NamedTuple):
    """A section of settings."""

    name: str
    label: str
    about: str
    form: Form


def _number(name: str, label: str, about: str = "") -> Field:
    return Field(name=name, label=label, kind="number", help=about)


# Limits for one-time codes.
LIMITS: Final = (
    _number("codes.sms_per_day", "SMS codes per day"),
    _number("codes.sends_per_hour", "Codes per recipient and hour"),
    _number("codes.sends_per_day", "Codes per recipient and day"),
    _number("codes.sends_per_minute", "Codes per minute, all recipients"),
    _number("codes.sends_per_address", "Code requests per IP address and hour"),
    _number("codes.wrong_per_code", "Attempts per code"),
    _number("codes.wrong_per_hour", "Wrong attempts per recipient and hour"),
    _number("codes.wrong_per_day", "Wrong attempts per recipient and day"),
    _number("codes.wrong_per_address", "Wrong attempts per IP address and hour"),
    Field(
        name="codes.countries", label="Allowed SMS countries", kind="list",
        help="Two-letter codes, one per line. Leave empty to allow every country.",
    ),
    Field(
        name="codes.refused_types", label="Blocked number types", kind="list",
        help="One per line.",
    ),
    _number("codes.breaker_sends", "Hourly limit per country before review"),
    _number("codes.breaker_percent", "Minimum share of codes used (%)"),
)  # fmt: skip
PARTS: Final = (
    Part(
        "company", "Company", "Name, location and formats.",
        Form(
            (
                fields.NAME,
                Field(
                    name="country", label="Country", placeholder="SG",
                    help="Used for phone numbers without a country code.",
                ),
                Field(
                    name="time_zone", label="Time zone", placeholder="Asia/Singapore",
                    help="Used for all dates and times.",
                ),
                Field(name="locale", label="Language", placeholder="en-SG"),
                Field(name="currency", label="Currency", placeholder="SGD"),
            )
        ),
    ),
    Part(
        "orders", "Orders and quotes", "Defaults for new orders, quotes and distances.",
        Form(
            (
                Field(
                    name="order_config", label="Default order flow", kind="choice"
                ),
                _number("quote_life", "Quote validity (seconds)"),
                Field(
                    name="dispatch_requires", label="Required before dispatch", kind="choice",
                    options=(
                        ("nothing", "Nothing"), ("price", "An accepted price"),
                        ("payment", "Payment in full"),
                    ),
                ),
                Field(
                    name="undelivered_charge", label="Undelivered orders", kind="choice",
                    options=(
                        ("keep", "Keep the price"), ("void", "Charge nothing"),
                        ("return_fee", "Charge the return fee"),
                    ),
                    help="Applies when all items are returned. Overpayments are refunded.",
                ),
                Field(
                    name="return_fee", label="Return fee", kind="fee", placeholder="500 or 50%",
                    help="Minor units, or a percentage of the price.",
                ),
                _number("speed_limit_kmh", "Speed limit (km/h)", "Devices alert above this speed."),
                _number("routing.detour_factor", "Road distance factor"),
                _number("routing.speed_kmh", "Average speed (km/h)"),
                _number("routing.adhoc_distance", "Ad-hoc offer radius (m)"),
                _number("locations.distance", "Minimum movement before an update (m)"),
                _number("locations.interval", "Minimum time between updates (s)"),
            )
        ),
    ),
    Part(
        "codes", "Codes and SMS", "Limits for one-time codes.",
        Form(LIMITS),
    ),
    Part(
        "retention", "Retention", "Days to keep data, within the installation's limits.",
        Form(
            tuple(
                _number(f"retention.{name}", label)
                for name, label in (
                    ("events", "Events"),
                    ("webhook_log", "Delivery log"),
                    ("messages", "Messages"),
                    ("audit", "Audit log"),
                    ("positions", "Positions"),
                    ("telemetry", "Telemetry"),
                    ("alerts", "Device alerts"),
                    ("heartbeats", "Heartbeats"),
                    ("other_readings", "Other readings"),
                    ("tokens", "Ended sessions"),
                )
            )
        ),
    ),
    Part(
        "branding", "Brand and senders", "How your company appears to customers.",
        Form(
            (
                Field(name="branding.name", label="Brand", help="Shown in messages and on sheets."),
                Field(name="branding.color", label="Color", placeholder="#0b7285"),
                Field(
                    name="branding.logo", label="Logo", placeholder="file_…",
                    help="ID of an uploaded image.",
                ),
                Field(
                    name="senders.sms", label="SMS sender", placeholder="ACME",
                    help="A phone number, or up to 11 letters and digits.",
                ),
                Field(name="senders.email", label="E-mail sender", placeholder="Acme"),
            )
        ),
    ),
)  # fmt: skip


@get("/settings")
async def show_settings(exchange: Exchange) -> Response[bytes]:
    return await _shown(Desk(exchange))


async def _shown(
    desk: Desk,
    wrong: str = "",
    typed: Mapping[str, str] | None = None,
    refusal: Refusal | None = None,
    status: int = 200,
) -> Response[bytes]:
    settings = await desk.get(API)
    zone = Zone.of({"settings": settings}).info
    parts = [_explained(part, settings["given"]) for part in await _parts(desk)]
    filled = {
        name: text for part in parts for name, text in part.form.filled(settings, zone).items()
    }
    return await render.page(
        desk, "settings/settings.html", title="Settings", at=HOME, parts=parts, wrong=wrong,
        filled={**filled, **(typed or {})}, refusal=refusal or Refusal(), status=status,
        version=settings["version"], sms=(await desk.get("/int/v1/sms"))["audiences"],
        writes=desk.may("PATCH", "/int/v1/settings"),
    )  # fmt: skip


async def _parts(desk: Desk) -> list[Part]:
    """Load the sections, with the options of their fields."""
    configs = (await desk.rows("/v1/order-configs", {"limit": "100"})).rows
    flows = [(one["id"], one["name"]) for one in configs]
    return [
        part._replace(form=Form([_choosing(field, flows) for field in part.form.fields]))
        for part in PARTS
    ]


def _choosing(field: Field, flows: list[tuple[str, str]]) -> Field:
    return msgspec.structs.replace(field, options=flows) if field.name == "order_config" else field


def _explained(part: Part, given: list[str]) -> Part:
    """Add a note to the fields that have a value of their own."""
    return part._replace(form=Form([_told(field, given) for field in part.form.fields]))


def _told(field: Field, given: list[str]) -> Field:
    if field.name not in given:
        return field
    note = "Clear to use the default."
    return msgspec.structs.replace(field, help=f"{field.help} {note}".strip())


@post("/settings/{name:str}", status_code=200)
async def change_settings(exchange: Exchange, name: str) -> Response[bytes]:
    """Change a section of the settings: its changed fields, and nothing else."""
    desk, sent = Desk(exchange), door.sent(exchange)
    part = next((part for part in PARTS if part.name == name), None)
    if part is None:
        raise NotFound
    settings = await desk.get(API)
    try:
        zone = Zone.of({"settings": settings}).info
        before = part.form.filled(settings, zone)
        read = await lookup.resolve(desk, part.form.fields, sent, before)
        body = changed(part.form, read, settings, zone)
        if body:
            await desk.act("PATCH", "/int/v1/settings", body, version=sent.get("version"))
    except Problem as problem:
        await desk.undo(problem)
        settings = await desk.get(API)
        saved = part.form.filled(settings, Zone.of({"settings": settings}).info)
        refusal = Refusal.over(problem, part.form, sent, saved)
        return await _shown(desk, name, sent, refusal, problem.status)
    said = f"{part.label} saved." if body else "No changes."
    return render.led(exchange, f"{HOME}#{name}", said=said)


def changed(form: Form, sent: Sent, settings: Any, zone: ZoneInfo) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Make a body of the changed fields. An empty field becomes null."""
    before = form.filled(settings, zone)
    anew = [
        field
        for field in form.fields
        if field.name in sent
        and sent[field.name].replace("\r\n", "\n").strip() != before[field.name].strip()
    ]
    return emptied(Form(anew).body(sent, zone, "edit"))


def emptied(body: Mapping[str, Any]) -> dict[str, Any]:
    """Replace empty lists by null, which restores the default."""
    return {
        name: emptied(value) if isinstance(value, Mapping) else (None if value == [] else value)
        for name, value in body.items()
    }


handlers: Final = [show_settings, change_settings]
