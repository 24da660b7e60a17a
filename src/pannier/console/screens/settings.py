"""Settings of the company. Each section is saved separately, with changed fields only."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.accounts.permissions import can_change_settings
from pannier.console import fields, lookup, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.formatting import TimeZone
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.session import FormData
from pannier.errors import NotFound, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/int/v1/settings"
HOME: Final = "/console/settings"


class SettingsSection(NamedTuple):
    """A section of settings."""

    name: str
    label: str
    description: str
    form: Form
    is_editable: bool = False


def _make_number_field(name: str, label: str, help_text: str = "") -> Field:
    return Field(name=name, label=label, kind="number", help=help_text)


# Limits for one-time codes.
CODE_LIMITS: Final = (
    _make_number_field("codes.sms_per_day", "SMS codes per day"),
    _make_number_field("codes.sends_per_hour", "Codes per phone or email per hour"),
    _make_number_field("codes.sends_per_day", "Codes per phone or email per day"),
    _make_number_field("codes.sends_per_minute", "Codes per minute, total"),
    _make_number_field("codes.sends_per_address", "Code requests per IP address per hour"),
    _make_number_field("codes.wrong_per_code", "Attempts per code"),
    _make_number_field("codes.wrong_per_hour", "Failed attempts per phone or email per hour"),
    _make_number_field("codes.wrong_per_day", "Failed attempts per phone or email per day"),
    _make_number_field("codes.wrong_per_address", "Failed attempts per IP address per hour"),
    Field(
        name="codes.countries", label="Allowed SMS countries", kind="list",
        help="Two-letter codes, one per line. Leave empty to allow every country.",
    ),
    Field(
        name="codes.refused_types", label="Blocked number types", kind="list",
        help="One per line.",
    ),
    _make_number_field("codes.breaker_sends", "Hourly limit per country before review"),
    _make_number_field(
        "codes.breaker_percent", "Minimum code conversion rate (%)",
        "Below this rate, codes to new numbers in that country are paused for an hour.",
    ),
)  # fmt: skip
SECTIONS: Final = (
    SettingsSection(
        "company",
        "Company",
        "Name, location and formats.",
        Form(
            (
                fields.NAME,
                Field(
                    name="country",
                    label="Country",
                    placeholder="SG",
                    help="Used for phone numbers without a country code.",
                ),
                Field(
                    name="time_zone",
                    label="Time zone",
                    placeholder="Asia/Singapore",
                    help="Used for all dates and times.",
                ),
                Field(name="locale", label="Language", placeholder="en-SG"),
                Field(name="currency", label="Currency", placeholder="SGD"),
            )
        ),
    ),
    SettingsSection(
        "orders",
        "Orders and quotes",
        "Defaults for new orders, quotes and distances.",
        Form(
            (
                Field(
                    name="order_config",
                    label="Default order flow",
                    kind="choice",
                    placeholder="Built-in flow",
                ),
                _make_number_field("quote_life", "Quote validity (seconds)"),
                Field(
                    name="dispatch_requires",
                    label="Required before dispatch",
                    kind="choice",
                    placeholder="Default",
                    options=(
                        ("nothing", "Nothing"),
                        ("price", "An accepted quote"),
                        ("payment", "Payment in full"),
                    ),
                ),
                _make_number_field(
                    "speed_limit_kmh",
                    "Speed limit (km/h)",
                    "Devices raise an alert above this speed.",
                ),
                _make_number_field("routing.detour_factor", "Road distance factor"),
                _make_number_field("routing.speed_kmh", "Average speed (km/h)"),
                _make_number_field("routing.adhoc_distance", "Ad-hoc offer radius (m)"),
                _make_number_field("locations.distance", "Minimum movement before an update (m)"),
                _make_number_field("locations.interval", "Minimum time between updates (s)"),
            )
        ),
    ),
    SettingsSection(
        "billing",
        "Billing",
        "Fees and taxes.",
        Form(
            (
                Field(
                    name="undelivered_charge",
                    label="Charge for undelivered orders",
                    kind="choice",
                    placeholder="Default",
                    options=(
                        ("keep", "Full price"),
                        ("void", "Nothing"),
                        ("return_fee", "Return fee"),
                    ),
                    help="Applies when all items are returned. Overpayments are refunded.",
                ),
                Field(
                    name="return_fee",
                    label="Return fee",
                    kind="fee",
                    placeholder="500 or 50%",
                    help=(
                        "An amount in the smallest currency unit, such as cents, "
                        "or a percentage of the price."
                    ),
                ),
            )
        ),
    ),
    SettingsSection(
        "codes",
        "Codes and SMS",
        "Limits for one-time codes.",
        Form(CODE_LIMITS),
    ),
    SettingsSection(
        "retention",
        "Retention",
        "Days to keep data, within the installation's limits.",
        Form(
            tuple(
                _make_number_field(f"retention.{name}", label)
                for name, label in (
                    ("events", "Events"),
                    ("webhook_log", "Webhook deliveries"),
                    ("messages", "Messages"),
                    ("audit", "Audit log"),
                    ("billing", "Billing identities"),
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
    SettingsSection(
        "branding",
        "Brand and senders",
        "How your company appears to customers.",
        Form(
            (
                Field(
                    name="branding.name",
                    label="Brand",
                    help="Shown in messages and on proof sheets.",
                ),
                Field(name="branding.color", label="Color", placeholder="#0b7285"),
                Field(
                    name="branding.logo",
                    label="Logo",
                    placeholder="file_…",
                    help="ID of an uploaded image.",
                ),
                Field(
                    name="senders.sms",
                    label="SMS sender",
                    placeholder="ACME",
                    help="A phone number, or up to 11 letters and digits.",
                ),
                Field(name="senders.email", label="Email sender name", placeholder="Acme"),
            )
        ),
    ),
)


@get("/settings")
async def show_settings(exchange: Exchange) -> Response[bytes]:
    return await _render_settings(ApiClient(exchange))


async def _render_settings(
    client: ApiClient,
    refused_section: str = "",
    input_values: Mapping[str, str] | None = None,
    form_errors: FormErrors | None = None,
    status: int = 200,
) -> Response[bytes]:
    settings = await client.get(API)
    zone = TimeZone.from_company({"settings": settings}).info
    sections = [
        _add_notes(section, settings["given"])._replace(is_editable=_can_edit(client, section))
        for section in await _load_sections(client)
    ]
    values = {
        name: text
        for section in sections
        for name, text in section.form.fill(settings, zone).items()
    }
    stores = (await client.list_rows("/int/v1/storefronts", {"limit": "100"})).rows
    return await responses.render_page(
        client, "settings/settings.html", title="Settings", url=HOME, sections=sections,
        refused_section=refused_section,
        filled={**values, **(input_values or {})}, status=status,
        refusal=form_errors or FormErrors(),
        version=settings["version"], sms=(await client.get("/int/v1/sms"))["audiences"],
        stores={store["id"]: store["name"] for store in stores},
    )  # fmt: skip


def _can_edit(client: ApiClient, section: SettingsSection) -> bool:
    """Tell whether the operator's role may change the fields of a section."""
    names = {field.name.partition(".")[0] for field in section.form.fields}
    return can_change_settings(client.caller.role, names)


async def _load_sections(client: ApiClient) -> list[SettingsSection]:
    """Load the sections, with the options of their fields."""
    configs = (await client.list_rows("/v1/order-configs", {"limit": "100"})).rows
    flows = [(config["id"], config["name"]) for config in configs]
    return [
        section._replace(form=Form([_add_options(field, flows) for field in section.form.fields]))
        for section in SECTIONS
    ]


def _add_options(field: Field, flows: list[tuple[str, str]]) -> Field:
    return msgspec.structs.replace(field, options=flows) if field.name == "order_config" else field


def _add_notes(section: SettingsSection, changed_names: list[str]) -> SettingsSection:
    """Add a note to the fields that override a default."""
    return section._replace(
        form=Form([_add_note(field, changed_names) for field in section.form.fields])
    )


def _add_note(field: Field, changed_names: list[str]) -> Field:
    if field.name not in changed_names:
        return field
    note = "Clear to use the default."
    return msgspec.structs.replace(field, help=f"{field.help} {note}".strip())


@post("/settings/{name:str}", status_code=200)
async def change_settings(exchange: Exchange, name: str) -> Response[bytes]:
    """Save the changed fields of a section of the settings."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    section = next((section for section in SECTIONS if section.name == name), None)
    if section is None:
        raise NotFound
    settings = await client.get(API)
    try:
        zone = TimeZone.from_company({"settings": settings}).info
        previous_values = section.form.fill(settings, zone)
        resolved_data = await lookup.resolve_form(
            client, section.form.fields, form_data, previous_values
        )
        body = make_body(section.form, resolved_data, settings, zone)
        if body:
            await client.send("PATCH", "/int/v1/settings", body, version=form_data.get("version"))
    except Problem as problem:
        await client.undo(problem)
        settings = await client.get(API)
        saved_values = section.form.fill(
            settings, TimeZone.from_company({"settings": settings}).info
        )
        form_errors = FormErrors.from_change(problem, section.form, form_data, saved_values)
        return await _render_settings(client, name, form_data, form_errors, problem.status)
    message = f"{section.label} saved." if body else "No changes."
    return responses.redirect_with_flash(exchange, f"{HOME}#{name}", message=message)


def make_body(form: Form, form_data: FormData, settings: Any, zone: ZoneInfo) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Build the request body from the changed fields. An empty field becomes null."""
    previous_values = form.fill(settings, zone)
    changed_fields = [
        field
        for field in form.fields
        if field.name in form_data
        and form_data[field.name].replace("\r\n", "\n").strip()
        != previous_values[field.name].strip()
    ]
    return empty_to_null(Form(changed_fields).make_body(form_data, zone, "edit"))


def empty_to_null(body: Mapping[str, Any]) -> dict[str, Any]:
    """Replace empty lists by null, which restores the default."""
    return {
        name: empty_to_null(value)
        if isinstance(value, Mapping)
        else (None if value == [] else value)
        for name, value in body.items()
    }


handlers: Final = [show_settings, change_settings]
