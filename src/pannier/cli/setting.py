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
    found = _load_settings(data, company)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    named = flatten(found)
    given = {*found.given, "name"}
    tables.print_table(
        ("NAME", "VALUE", "ORIGIN"),
        [
            (name, to_text(value), "set" if name in given else "default")
            for name, value in named.items()
        ],
        empty_text="There are no settings.",
    )


@setting.command("get")
@access.company_options
@click.argument("name")
def get(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Print one setting."""
    value = _get_value(flatten(_load_settings(data, company)), name)
    click.echo(msgspec.json.encode(value) if as_json else to_text(value))


@setting.command("set")
@access.company_options
@click.argument("name")
@click.argument("value")
def set_(data: str | None, company: str | None, as_json: bool, name: str, value: str) -> None:
    """Change a setting. Separate several countries by commas."""
    wanted = [part.strip() for part in value.split(",")] if name in LIST_SETTINGS else value
    _print_setting(_change_setting(data, company, name, wanted), name, as_json=as_json)


@setting.command("unset")
@access.company_options
@click.argument("name")
def unset(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Reset a setting to its default."""
    _print_setting(_change_setting(data, company, name, None), name, as_json=as_json)


def _print_setting(changed: SettingsOut, name: str, *, as_json: bool) -> None:
    value = _get_value(flatten(changed), name)
    click.echo(msgspec.json.encode(changed) if as_json else f"{name} = {to_text(value)}")


def _load_settings(data: str | None, company: str | None) -> SettingsOut:
    async def job(database: Database, settings: Settings) -> SettingsOut:
        async with database.reading() as db:
            row = await access.get_company(db, company)
            return await service.to_out(db, row, InstallationLimits.from_settings(settings))

    return access.run(data, job)


def _change_setting(data: str | None, company: str | None, name: str, value: object) -> SettingsOut:
    async def job(database: Database, settings: Settings) -> SettingsOut:
        bounds = InstallationLimits.from_settings(settings)
        async with database.transaction() as db:
            row = await queries.lock_company(db, (await access.get_company(db, company)).uuid)
            _get_value(flatten(await service.to_out(db, row, bounds)), name)
            changed = await service.change(db, row, _parse_change(name, value), bounds)
            return await service.to_out(db, changed, bounds)

    return access.run(data, job)


def _parse_change(name: str, value: object) -> SettingsChange:
    """Parse a change as the API does."""
    part, _, below = name.rpartition(".")
    return parse_as(SettingsChange, {part: {below: value}} if part else {below: value})


def flatten(settings: SettingsOut) -> dict[str, Any]:
    """Return each setting by its path."""
    named: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(settings).items():
        if isinstance(value, dict):
            named |= {f"{name}.{below}": each for below, each in value.items()}
        elif name not in METADATA_FIELDS:
            named[name] = value
    return named


def _get_value(named: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - whatever the setting holds
    if name not in named:
        raise click.UsageError(f"Unknown setting {name}. Settings: {', '.join(named)}.")
    return named[name]


def to_text(value: object) -> str:
    """Format a setting's value for a terminal."""
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
