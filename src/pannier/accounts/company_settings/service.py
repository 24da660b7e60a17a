"""Change a company's settings."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeVar
from uuid import UUID

import msgspec
from msgspec import UNSET

from pannier.accounts import permissions
from pannier.accounts.company_settings import queries, rules
from pannier.accounts.company_settings.models import InstallationLimits, StoreSettings
from pannier.accounts.company_settings.parts import get_configured_values, merge_parts
from pannier.accounts.company_settings.schemas import SettingsChange, SettingsOut
from pannier.accounts.models import Company, Role
from pannier.accounts.queries import COMPANIES
from pannier.db import Db
from pannier.errors import FieldError, Forbidden, Invalid, NotFound
from pannier.web import fields

Change = TypeVar("Change", bound=msgspec.Struct)

NEVER_EMPTY: Final = frozenset({"name"})
PLAIN_FIELDS: Final = (
    "country",
    "time_zone",
    "locale",
    "currency",
    "order_config",
    "quote_life",
    "dispatch_requires",
    "undelivered_charge",
    "return_fee",
    "price_changes",
    "cancellation_refund",
    "prices_include_tax",
    "tax_rate",
    "tax_rounding",
    "tax_number",
    "legal_name",
    "iban",
    "bic",
    "payment_instructions",
    "payment_terms_days",
    "invoice_prefix",
    "credit_note_prefix",
    "invoice_footer",
    "email_invoices",
    "speed_limit_kmh",
    "dispatch_phone",
    "unique_internal_ids",
)
PARTS: Final = (
    "billing_address",
    "cancellation_fees",
    "codes",
    "locations",
    "routing",
    "retention",
    "branding",
    "senders",
    "news",
    "recipients",
)


def check_role(role: Role, changes: SettingsChange) -> None:
    """Refuse changes to settings that are not for this role."""
    names = [name for name in changes.__struct_fields__ if getattr(changes, name) is not UNSET]
    if not permissions.can_change_settings(role, names):
        raise Forbidden(f"Only an admin can change these settings. Your role is {role}.")


async def change_settings(
    db: Db, company: Company, changes: SettingsChange, bounds: InstallationLimits
) -> Company:
    """Change settings within the limits of the installation."""
    normalised_changes = await _normalise_settings(db, company.uuid, changes)
    _check_bounds(normalised_changes, bounds)
    columns = {name: getattr(normalised_changes, name) for name in ("name", *PLAIN_FIELDS)}
    columns |= {
        name: _merge_part(getattr(company, name), getattr(normalised_changes, name))
        for name in PARTS
    }
    if isinstance(normalised_changes.order_config, str):
        columns["order_config"] = await _find_order_config(
            db, company.uuid, normalised_changes.order_config
        )
    if isinstance(normalised_changes.return_fee, int):
        columns["return_fee"] = str(normalised_changes.return_fee)
    _check_return_fee(company, columns)
    updated_company, _ = await COMPANIES.change(
        db, company, **{name: value for name, value in columns.items() if value is not UNSET}
    )
    db.cache.clear()
    return updated_company


async def to_out(db: Db, company: Company, bounds: InstallationLimits) -> SettingsOut:
    """Build the effective settings for a response, with the paths of the configured ones."""
    order_config = None
    if company.order_config is not None:
        order_config = await queries.load_order_config_name(db, company.uuid, company.order_config)
    return SettingsOut.from_row(
        company,
        queries.resolve(company),
        bounds,
        order_config,
        list(_list_configured_paths(company)),
    )


async def merge_store_settings(
    db: Db, company: UUID, current_settings: StoreSettings, changes: StoreSettings | None
) -> StoreSettings:
    """Apply a change to a store's own settings."""
    if changes is None:
        return StoreSettings()
    return merge_parts(
        current_settings, await _normalise_settings(db, company, changes, path="settings.")
    )


async def _normalise_settings(db: Db, company: UUID, changes: Change, *, path: str = "") -> Change:
    """Normalise the settings in a request, or refuse the invalid ones."""
    values_by_path = {path + name: value for name, value in _flatten(changes)}
    parsers = {path + name: rule for name, rule in rules.PARSERS.items()}
    normalised_values = fields.normalise(values_by_path, parsers, never_empty=NEVER_EMPTY)
    logo = f"{path}branding.logo"
    if normalised_values.get(logo) is not None:
        picture = await queries.find_picture(db, company, normalised_values[logo])
        if picture is None:
            raise NotFound(
                fields=[FieldError(logo, "No such picture. Upload it with POST /v1/files first.")]
            )
        normalised_values[logo] = picture.public_id
    nested_values = _unflatten(
        {name.removeprefix(path): value for name, value in normalised_values.items()}
    )
    return msgspec.convert(nested_values, type(changes))


async def _find_order_config(db: Db, company: UUID, identifier: str) -> UUID:
    order_config = await queries.find_order_config(db, company, identifier)
    if order_config is None:
        sentence = "There is no such active order configuration."
        raise NotFound(fields=[FieldError("order_config", sentence)])
    return order_config.uuid


def _check_return_fee(company: Company, columns: Mapping[str, Any]) -> None:
    """Refuse to charge a return fee that is not set."""
    charge, fee = (
        getattr(company, name) if columns[name] is UNSET else columns[name]
        for name in ("undelivered_charge", "return_fee")
    )
    if charge == "return_fee" and fee is None:
        raise Invalid(
            fields=[
                FieldError(
                    "return_fee",
                    "Set a fee in minor units such as 450, or a percentage such as 50%.",
                )
            ]
        )


def _check_bounds(requested_settings: SettingsChange, bounds: InstallationLimits) -> None:
    errors = [
        FieldError(
            f"retention.{name}", f"must be at most {maximum} days, the limit of this installation."
        )
        for name, days in get_configured_values(requested_settings.retention).items()
        if days > (maximum := getattr(bounds.retention, name))
    ]
    errors += [
        FieldError(
            f"locations.{name}", f"must be at least {minimum}, the limit of this installation."
        )
        for name, value in get_configured_values(requested_settings.locations).items()
        if value < (minimum := getattr(bounds.locations, name))
    ]
    if errors:
        raise Invalid(fields=errors)


def _merge_part(current_settings: msgspec.Struct, changes: Any) -> Any:  # noqa: ANN401 - a section, None or UNSET
    return UNSET if changes is UNSET else merge_parts(current_settings, changes)


def _list_configured_paths(company: Company) -> Iterator[str]:
    """List the paths of the configured settings."""
    yield from (name for name in PLAIN_FIELDS if getattr(company, name) is not None)
    for part in PARTS:
        yield from (f"{part}.{name}" for name in get_configured_values(getattr(company, part)))


def _flatten(change: msgspec.Struct) -> Iterator[tuple[str, Any]]:
    """List the sent settings with their paths, such as `codes.sends_per_hour`."""
    for name in change.__struct_fields__:
        value = getattr(change, name)
        if isinstance(value, msgspec.Struct):
            yield from ((f"{name}.{path}", leaf) for path, leaf in _flatten(value))
        elif value is not UNSET:
            yield name, value


def _unflatten(values_by_path: Mapping[str, Any]) -> dict[str, Any]:
    """Nest settings by their paths; the reverse of `_flatten`."""
    nested_values: dict[str, Any] = {}
    for name, value in values_by_path.items():
        part, _, leaf = name.rpartition(".")
        (nested_values.setdefault(part, {}) if part else nested_values)[leaf] = value
    return nested_values
