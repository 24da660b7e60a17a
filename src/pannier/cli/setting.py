"""`pannier setting`: read and change a company's settings."""

from collections.abc import Mapping
from typing import Any, Final

import click
import msgspec

from pannier.accounts import queries
from pannier.accounts.company_settings import service
from pannier.accounts.company_settings.models import InstallationLimits
from pannier.accounts.company_settings.schemas import SettingsChange, SettingsOut
from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.cli.validation import parse_as
from pannier.db import Database
from pannier.settings import Settings

# Fields of the response that are not settings.
METADATA_FIELDS: Final = frozenset({"given", "updated_at", "version"})
LIST_SETTINGS: Final = frozenset({"codes.countries", "codes.refused_types"})


@click.group(cls=Group)
def setting() -> None:
    """Read and change a company's settings."""


@setting.command("list")
@access.company_options
def list_settings(data: str | None, company: str | None, as_json: bool) -> None:
    """List settings and whether they were changed."""
    settings = _load_settings(data, company)
    if as_json:
        click.echo(msgspec.json.encode(settings))
        return
    values_by_path = flatten_settings(settings)
    changed_names = {*settings.given, "name"}
    tables.print_table(
        ("NAME", "VALUE", "ORIGIN"),
        [
            (name, to_text(value), "set" if name in changed_names else "default")
            for name, value in values_by_path.items()
        ],
        empty_text="There are no settings.",
    )


@setting.command("get")
@access.company_options
@click.argument("name")
def get_setting(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Print one setting."""
    value = _get_value(flatten_settings(_load_settings(data, company)), name)
    click.echo(msgspec.json.encode(value) if as_json else to_text(value))


@setting.command("set")
@access.company_options
@click.argument("name")
@click.argument("value")
def set_setting(
    data: str | None, company: str | None, as_json: bool, name: str, value: str
) -> None:
    """Change a setting. Separate several countries by commas."""
    new_value = [part.strip() for part in value.split(",")] if name in LIST_SETTINGS else value
    _print_setting(_change_setting(data, company, name, new_value), name, as_json=as_json)


@setting.command("unset")
@access.company_options
@click.argument("name")
def unset_setting(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Reset a setting to its default."""
    _print_setting(_change_setting(data, company, name, None), name, as_json=as_json)


def _print_setting(settings: SettingsOut, name: str, *, as_json: bool) -> None:
    value = _get_value(flatten_settings(settings), name)
    click.echo(msgspec.json.encode(settings) if as_json else f"{name} = {to_text(value)}")


def _load_settings(data: str | None, company: str | None) -> SettingsOut:
    async def load(database: Database, settings: Settings) -> SettingsOut:
        async with database.reading() as db:
            row = await access.get_company(db, company)
            return await service.to_out(db, row, InstallationLimits.from_settings(settings))

    return access.run(data, load)


def _change_setting(data: str | None, company: str | None, name: str, value: object) -> SettingsOut:
    async def change(database: Database, settings: Settings) -> SettingsOut:
        bounds = InstallationLimits.from_settings(settings)
        async with database.transaction() as db:
            row = await queries.lock_company(db, (await access.get_company(db, company)).uuid)
            _get_value(flatten_settings(await service.to_out(db, row, bounds)), name)
            updated_settings = await service.change_settings(
                db, row, _parse_change(name, value), bounds
            )
            return await service.to_out(db, updated_settings, bounds)

    return access.run(data, change)


def _parse_change(name: str, value: object) -> SettingsChange:
    """Parse a change as the API does."""
    section, _, field = name.rpartition(".")
    return parse_as(SettingsChange, {section: {field: value}} if section else {field: value})


def flatten_settings(settings: SettingsOut) -> dict[str, Any]:
    """Return each setting by its path."""
    values_by_path: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(settings).items():
        if isinstance(value, dict):
            values_by_path |= {f"{name}.{key}": nested_value for key, nested_value in value.items()}
        elif name not in METADATA_FIELDS:
            values_by_path[name] = value
    return values_by_path


def _get_value(values_by_path: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - whatever the setting holds
    if name not in values_by_path:
        raise click.UsageError(f"Unknown setting {name}. Settings: {', '.join(values_by_path)}.")
    return values_by_path[name]


def to_text(value: object) -> str:
    """Format a setting's value for a terminal."""
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
