"""Storefronts: names, sign-in providers, and settings that differ from the company's."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from pannier.console import columns, fields
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form
from pannier.console.records import Records, load_zone
from pannier.console.region_options import LANGUAGE_OPTIONS
from pannier.console.screens.settings import API, empty_to_null
from pannier.console.settings_sections import CODE_LIMITS, DISPATCH_REQUIRES

MODES: Final = (
    ("step_up", "Require a one-time code"),
    ("require_proof", "Reject"),
    ("trust_client", "Allow without verification"),
)
# Fields that stay unchanged when empty: secrets, which are never shown, and the mode.
KEPT_WHEN_EMPTY: Final = ("private_key", "app_secret", "mode")


class StoreForm(Form, frozen=True):
    """The form of a storefront. A provider without any value is disabled."""

    def adapt_body(self, body: dict[str, Any]) -> dict[str, Any]:
        """Convert the providers to the API's format."""
        if "providers" in body:
            body["providers"] = {
                name: _make_provider_body(provider) for name, provider in body["providers"].items()
            }
        if "codes" in body.get("settings", {}):
            body["settings"]["codes"] = empty_to_null(body["settings"]["codes"])
        return body


def _make_provider_body(provider: Mapping[str, Any]) -> dict[str, Any] | None:
    body = {name: value for name, value in provider.items() if value or name not in KEPT_WHEN_EMPTY}
    return body if any(value for name, value in body.items() if name != "mode") else None


FORM: Final = StoreForm(
    (
        fields.NAME,
        Field(
            name="settings.locale", label="Language", kind="choice", options=LANGUAGE_OPTIONS,
            placeholder="As the company", help="Used for messages.",
        ),
        Field(
            name="settings.orders", label="Customer ordering", kind="switch",
        ),
        replace(DISPATCH_REQUIRES, name="settings.dispatch_requires", placeholder="As the company"),
        Field(
            name="settings.unpaid_order_minutes", label="Cancel unpaid orders after (minutes)",
            kind="number", placeholder="Never", help="Applies to orders that customers place.",
        ),
        Field(
            name="settings.return_origins", label="Payment return origins", kind="list",
            placeholder="https://shop.example.com", help="One per line.",
        ),
        Field(
            name="settings.branding.name", label="Brand",
            help="Shown in messages and on proof sheets.",
        ),
        Field(name="settings.branding.color", label="Color", placeholder="#0b7285"),
        Field(name="settings.senders.sms", label="SMS sender", placeholder="ACME"),
        Field(name="settings.senders.email", label="Email sender name", placeholder="Acme"),
        *(replace(field, name=f"settings.{field.name}") for field in CODE_LIMITS),
        Field(
            name="providers.a.audiences", label="Bundle IDs and Services IDs", kind="list",
            help="One per line. Leave empty to disable sign-in with Apple.",
            placeholder="com.example.shop",
        ),
        Field(name="providers.a.team_id", label="Team ID"),
        Field(name="providers.a.key_id", label="Key ID"),
        Field(
            name="providers.a.private_key", label="Private key", kind="area",
            help="Stored encrypted and never shown. Leave empty to keep it.",
            placeholder="-----BEGIN PRIVATE KEY-----",
        ),
        Field(
            name="providers.b.client_ids", label="Client IDs", kind="list",
            help="One for each app and website, one per line. "
            "Leave empty to disable sign-in with Google.",
        ),
        Field(
            name="providers.c.app_id", label="App ID",
            help="Leave empty to disable sign-in with Facebook.",
        ),
        Field(
            name="providers.c.app_secret", label="App secret", kind="password",
            help="Stored encrypted and never shown. Leave empty to keep it.",
        ),
        Field(
            name="providers.c.mode", label="Unverified sign-ins", kind="choice",
            options=MODES, required=True, default="step_up",
        ),
    )
)  # fmt: skip


async def _load_choices(client: ApiClient, _: Any) -> Mapping[str, Any]:  # noqa: ANN401 - JSON
    """Return the fields with the company's values as placeholders."""
    settings, zone = await client.get(API), await load_zone(client)
    return {"fields": [_add_company_default(field, settings, zone) for field in FORM.fields]}


def _add_company_default(field: Field, settings: Any, zone: ZoneInfo) -> Field:  # noqa: ANN401 - JSON
    company_field = replace(field, name=field.name.removeprefix("settings."))
    value = company_field.format_value(settings, zone) if company_field.name != field.name else ""
    if label := dict(field.options).get(value):
        return replace(field, placeholder=f"{field.placeholder}: {label}")
    return replace(field, placeholder=value or field.placeholder)


STOREFRONTS: Final = Records(
    "/int/v1/storefronts",
    columns=(
        columns.NAME,
        Column("Brand", "settings.branding.name"),
        Column("Customer ordering", "settings.orders", "switch"),
        columns.CREATED,
    ),
    facts=(
        Column("Name", "name"),
        Column("Language", "settings.locale"),
        "settings.orders",
        Column("Required before dispatch", "settings.dispatch_requires", "words", quiet=True),
        Column(
            "Cancel unpaid orders after (minutes)",
            "settings.unpaid_order_minutes",
            "number",
            quiet=True,
        ),
        Column("Payment return origins", "settings.return_origins", "list"),
        "settings.branding.name",
        Column("Color", "settings.branding.color", "mono"),
        Column("SMS sender", "settings.senders.sms"),
        Column("Email sender name", "settings.senders.email"),
        "created_at",
    ),
    form=FORM,
    record_template="storefronts/storefront.html",
    form_template="storefronts/form.html",
    load_choices=_load_choices,
    deletable=False,
)
handlers: Final = STOREFRONTS.make_handlers("list", "read", "edit")
