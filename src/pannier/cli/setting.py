"""`pannier setting`: read and change a company's settings."""

from collections.abc import Mapping
from typing import Any, Final

import click
import msgspec

from pannier.accounts import queries
from pannier.accounts.company_settings import service
from pannier.accounts.company_settings.models import Bounds
from pannier.accounts.company_settings.schemas import SettingsChange, SettingsOut
from pannier.cli import attach, tables
from pannier.cli.given import read_as
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.settings import Settings

# Fields of the response that are not settings.
ABOUT: Final = frozenset({"given", "updated_at", "version"})
LISTS: Final = frozenset({"codes.countries", "codes.refused_types"})


@click.group(cls=Group)
def setting() -> None:
    """Read and change a company's settings."""


@setting.command("list")
@attach.company_options
def list_settings(data: str | None, company: str | None, as_json: bool) -> None:
    """List settings and whether they were changed."""
    found = _read(data, company)
    if as_json:
        click.echo(msgspec.json.encode(found))
        return
    named = by_name(found)
    given = {*found.given, "name"}
    tables.show(
        ("NAME", "VALUE", "ORIGIN"),
        [
            (name, spelled(value), "set" if name in given else "default")
            for name, value in named.items()
        ],
        nothing="There are no settings.",
    )


@setting.command("get")
@attach.company_options
@click.argument("name")
def get(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Print one setting."""
    value = _known(by_name(_read(data, company)), name)
    click.echo(msgspec.json.encode(value) if as_json else spelled(value))


@setting.command("set")
@attach.company_options
@click.argument("name")
@click.argument("value")
def set_(data: str | None, company: str | None, as_json: bool, name: str, value: str) -> None:
    """Change a setting. Separate several countries by commas."""
    wanted = [part.strip() for part in value.split(",")] if name in LISTS else value
    _show(_change(data, company, name, wanted), name, as_json=as_json)


@setting.command("unset")
@attach.company_options
@click.argument("name")
def unset(data: str | None, company: str | None, as_json: bool, name: str) -> None:
    """Reset a setting to its default."""
    _show(_change(data, company, name, None), name, as_json=as_json)


def _show(changed: SettingsOut, name: str, *, as_json: bool) -> None:
    value = _known(by_name(changed), name)
    click.echo(msgspec.json.encode(changed) if as_json else f"{name} = {spelled(value)}")


def _read(data: str | None, company: str | None) -> SettingsOut:
    async def job(database: Database, settings: Settings) -> SettingsOut:
        async with database.reading() as db:
            row = await attach.company_of(db, company)
            return await service.shown(db, row, Bounds.of(settings))

    return attach.work(data, job)


def _change(data: str | None, company: str | None, name: str, value: object) -> SettingsOut:
    async def job(database: Database, settings: Settings) -> SettingsOut:
        bounds = Bounds.of(settings)
        async with database.transaction() as db:
            row = await queries.take_company(db, (await attach.company_of(db, company)).uuid)
            _known(by_name(await service.shown(db, row, bounds)), name)
            changed = await service.change(db, row, _wanted(name, value), bounds)
            return await service.shown(db, changed, bounds)

    return attach.work(data, job)


def _wanted(name: str, value: object) -> SettingsChange:
    """Parse a change as the API does."""
    part, _, below = name.rpartition(".")
    return read_as(SettingsChange, {part: {below: value}} if part else {below: value})


def by_name(found: SettingsOut) -> dict[str, Any]:
    """Return each setting by its path."""
    named: dict[str, Any] = {}
    for name, value in msgspec.to_builtins(found).items():
        if isinstance(value, dict):
            named |= {f"{name}.{below}": each for below, each in value.items()}
        elif name not in ABOUT:
            named[name] = value
    return named


def _known(named: Mapping[str, Any], name: str) -> Any:  # noqa: ANN401 - whatever the setting holds
    if name not in named:
        raise click.UsageError(f"Unknown setting {name}. Settings: {', '.join(named)}.")
    return named[name]


def spelled(value: object) -> str:
    """Format a setting's value for a terminal."""
    if value is None:
        return "-"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
