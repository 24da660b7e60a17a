"""Settings of the company. Each section is saved separately, with changed fields only."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.accounts.permissions import can_change_settings
from pannier.console import amounts, lookup, region_options, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.first_steps import list_missing_providers
from pannier.console.formatting import TimeZone, dig
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.picture_uploads import load_picture_urls, upload_pictures
from pannier.console.session import FormData
from pannier.console.settings_sections import CODES_PAGE, SECTIONS, SettingsSection
from pannier.errors import NotFound, Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

API: Final = "/int/v1/settings"


@get("/settings")
async def show_settings(exchange: Exchange) -> Response[bytes]:
    return await _render_settings(ApiClient(exchange))


@get("/settings/{name:str}")
async def show_settings_page(exchange: Exchange, name: str) -> Response[bytes]:
    """Show the page with a section."""
    return await _render_settings(ApiClient(exchange), _get_section(name).page)


def _get_section(name: str) -> SettingsSection:
    for section in SECTIONS:
        if section.name == name:
            return section
    raise NotFound


async def _render_settings(
    client: ApiClient,
    page: str = "",
    refused_section: str = "",
    input_values: Mapping[str, str] | None = None,
    form_errors: FormErrors | None = None,
    status: int = 200,
) -> Response[bytes]:
    settings = await client.get(API)
    sections = [
        _add_notes(section, settings)._replace(is_editable=_can_edit(client, section))
        for section in await _load_sections(client, settings, page)
    ]
    values = {
        name: text
        for section in sections
        for name, text in fill_form(section.form, settings).items()
    }
    for section in sections:
        values |= await load_picture_urls(client, section.form, values)
    stores, audiences = [], []
    if page == CODES_PAGE:
        stores = (await client.list_rows("/int/v1/storefronts", {"limit": "100"})).rows
        audiences = (await client.get("/int/v1/sms"))["audiences"]
    return await responses.render_page(
        client, "settings/settings.html", title="Settings", url=sections[0].page_url,
        all_sections=SECTIONS, sections=sections,
        refused_section=refused_section,
        filled={**values, **(input_values or {})}, status=status,
        refusal=form_errors or FormErrors(),
        version=settings["version"], sms=audiences,
        missing_providers=list_missing_providers(client),
        stores={store["id"]: store["name"] for store in stores},
    )  # fmt: skip


def _can_edit(client: ApiClient, section: SettingsSection) -> bool:
    """Tell whether the operator's role may change the fields of a section."""
    names = {field.name.partition(".")[0] for field in section.form.fields}
    return can_change_settings(client.caller.role, names)


async def _load_sections(
    client: ApiClient,
    settings: Any,  # noqa: ANN401 - JSON
    page: str,
) -> list[SettingsSection]:
    """Load the sections of a page, with the options of their fields."""
    configs = (await client.list_rows("/v1/order-configs", {"limit": "100"})).rows
    options = {
        "order_config": [(config["id"], config["name"]) for config in configs],
        "country": region_options.list_countries(),
        "billing_address.country": region_options.list_countries(),
        "time_zone": region_options.list_time_zones(),
        "currency": region_options.CURRENCY_OPTIONS,
        "locale": region_options.LANGUAGE_OPTIONS,
    }
    return [
        section._replace(
            form=Form(
                [
                    _add_options(field, options[field.name], settings)
                    if field.name in options
                    else field
                    for field in section.form.fields
                ]
            )
        )
        for section in SECTIONS
        if section.page == page
    ]


def _add_options(field: Field, options: Sequence[tuple[str, str]], settings: Any) -> Field:  # noqa: ANN401 - JSON
    saved_value = str(dig(settings, field.name) or "")
    return msgspec.structs.replace(
        field, options=region_options.include_value(options, saved_value)
    )


def _add_notes(section: SettingsSection, settings: Any) -> SettingsSection:  # noqa: ANN401 - JSON
    """Add the currency of fees, and a note to the fields that override a default."""
    fields = [_add_currency(field, settings["currency"]) for field in section.form.fields]
    return section._replace(form=Form([_add_note(field, settings["given"]) for field in fields]))


def _add_currency(field: Field, currency: str | None) -> Field:
    if field.kind != "fee" or currency is None:
        return field
    help_text = f"An amount in {currency}, or a percentage of the price."
    return msgspec.structs.replace(
        field, help=help_text, placeholder=f"{amounts.to_major(500, currency)} or 50%"
    )


def _add_note(field: Field, changed_names: list[str]) -> Field:
    if field.name not in changed_names:
        return field
    note = "Clear to use the default."
    return msgspec.structs.replace(field, help=f"{field.help} {note}".strip())


def fill_form(form: Form, settings: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Return the settings by field name, with fees in major units of the company's currency."""
    values = form.fill(settings, TimeZone.from_company({"settings": settings}).info)
    fees = {
        field.name: amounts.format_fee(values[field.name], settings["currency"])
        for field in form.fields
        if field.kind == "fee"
    }
    return values | fees


@post("/settings/{name:str}", status_code=200)
async def change_settings(exchange: Exchange, name: str) -> Response[bytes]:
    """Save the changed fields of a section of the settings."""
    client, form_data = ApiClient(exchange), session.read_form(exchange)
    section = _get_section(name)
    settings = await client.get(API)
    try:
        zone = TimeZone.from_company({"settings": settings}).info
        previous_values = fill_form(section.form, settings)
        resolved_data = await lookup.resolve_form(
            client, section.form.fields, form_data, previous_values
        )
        body = make_body(section.form, resolved_data, settings, zone)
        for path, file in (await upload_pictures(client, section.form, form_data)).items():
            group, _, field_name = path.partition(".")
            body.setdefault(group, {})[field_name] = file
        if body:
            await client.send("PATCH", "/int/v1/settings", body, version=form_data.get("version"))
    except Problem as problem:
        await client.undo(problem)
        settings = await client.get(API)
        saved_values = fill_form(section.form, settings)
        form_errors = FormErrors.from_change(problem, section.form, form_data, saved_values)
        return await _render_settings(
            client, section.page, name, form_data, form_errors, problem.status
        )
    message = f"{section.label} saved." if body else "No changes."
    return responses.redirect_with_flash(exchange, f"{section.page_url}#{name}", message=message)


def make_body(form: Form, form_data: FormData, settings: Any, zone: ZoneInfo) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Build the request body from the changed fields. An empty field becomes null."""
    previous_values, values = fill_form(form, settings), form.refill(form_data)
    changed_fields = [
        field
        for field in form.fields
        if field.name in form_data
        and field.kind != "picture"
        and values[field.name].replace("\r\n", "\n").strip() != previous_values[field.name].strip()
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


handlers: Final = [show_settings, show_settings_page, change_settings]
