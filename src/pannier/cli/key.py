"""`pannier key`: create, list, revoke and rotate keys."""

from datetime import datetime, timedelta

import click
import msgspec

from pannier.accounts import queries, service
from pannier.accounts.models import KEY_PREFIXES, Key
from pannier.accounts.schemas import KeyFilters, KeyIn, KeyOut, KeyRotation
from pannier.accounts.service import NewKey
from pannier.cli import attach, tables
from pannier.cli.given import read_as
from pannier.cli.groups import Group
from pannier.db import Database
from pannier.kit.durations import spoken
from pannier.settings import Settings


@click.group(cls=Group)
def key() -> None:
    """Create, list, revoke and rotate keys."""


@key.command("new")
@attach.data_option
@attach.company_option
@click.option("--kind", type=click.Choice(list(KEY_PREFIXES)), default="api", show_default=True)
@click.option("--name", default="Made on the command line", show_default=True)
@click.option("--scope", "scopes", multiple=True, help="Repeatable; all scopes by default.")
@click.option("--store", help="Store of a storefront key; the first by default.")
@attach.json_option
def new(
    data: str | None,
    company: str | None,
    kind: str,
    name: str,
    scopes: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Create a key."""
    given = read_as(
        KeyIn, {"kind": kind, "name": name, "scopes": list(scopes) or None, "store": store}
    )

    async def job(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            return await service.create_key(db, owner.uuid, **msgspec.structs.asdict(given))

    _show(attach.work(data, job), as_json=as_json)


def _show(made: NewKey, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"id": made.row.public_id, "key": made.text}))
    else:
        click.echo(f"{made.text}\nSave it now. It is not shown again.")


@key.command("list")
@attach.company_options
def list_keys(data: str | None, company: str | None, as_json: bool) -> None:
    """List the keys, newest first."""

    async def job(database: Database, _: Settings) -> tuple[list[Key], datetime]:
        async with database.reading() as db:
            owner = await attach.company_of(db, company)
            rows = await attach.every(
                lambda cursor: queries.keys(db, owner.uuid, KeyFilters(limit=100, cursor=cursor))
            )
            return rows, db.now

    rows, now = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode([KeyOut.of(row) for row in rows]))
        return
    tables.show(
        ("ID", "KIND", "STATE", "BEGINS WITH", "LAST USED", "SCOPES", "NAME"),
        [
            (
                row.public_id,
                row.kind,
                _state(row, now),
                row.hint,
                f"{spoken(now - row.last_used_at)} ago" if row.last_used_at else "never",
                ",".join(row.scopes) or "-",
                row.name,
            )
            for row in rows
        ],
        nothing="There are no keys.",
    )


def _state(row: Key, now: datetime) -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at is not None and row.expires_at <= now:
        return "expired"
    return "rotated" if row.replaced_by else "alive"


@key.command("revoke")
@attach.company_options
@click.argument("key_id")
def revoke(data: str | None, company: str | None, as_json: bool, key_id: str) -> None:
    """Revoke a key. Requests with it fail immediately."""

    async def job(database: Database, _: Settings) -> Key:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            row = await queries.KEYS.take(db, owner.uuid, key_id)
            return await service.revoke_key(db, row)

    revoked = attach.work(data, job)
    click.echo(msgspec.json.encode(KeyOut.of(revoked)) if as_json else f"Revoked {key_id}.")


@key.command("rotate")
@attach.data_option
@attach.company_option
@click.option(
    "--overlap",
    type=int,
    default=86400,
    show_default=True,
    help="Seconds during which both keys work.",
)
@attach.json_option
@click.argument("key_id")
def rotate(
    data: str | None,
    company: str | None,
    overlap: int,
    as_json: bool,
    key_id: str,
) -> None:
    """Replace a key. Both work until the overlap ends."""
    seconds = read_as(KeyRotation, {"overlap_seconds": overlap}).overlap_seconds

    async def job(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            row = await queries.KEYS.take(db, owner.uuid, key_id)
            return await service.rotate_key(db, row, timedelta(seconds=seconds))

    _show(attach.work(data, job), as_json=as_json)
