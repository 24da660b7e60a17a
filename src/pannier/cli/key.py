"""`pannier key`: create, list, revoke and rotate keys."""

from datetime import datetime, timedelta

import click
import msgspec

from pannier.accounts import queries, service
from pannier.accounts.models import KEY_PREFIXES, Key
from pannier.accounts.schemas import KeyFilters, KeyIn, KeyOut, KeyRotation
from pannier.accounts.service import NewKey
from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.cli.validation import parse_as
from pannier.db import Database
from pannier.kit.durations import to_text
from pannier.settings import Settings


@click.group(cls=Group)
def key() -> None:
    """Create, list, revoke and rotate keys."""


@key.command("new")
@access.data_option
@access.company_option
@click.option("--kind", type=click.Choice(list(KEY_PREFIXES)), default="api", show_default=True)
@click.option("--name", default="Created on the command line", show_default=True)
@click.option("--scope", "scopes", multiple=True, help="Repeatable; all scopes by default.")
@click.option("--store", help="Store of a storefront key; the first by default.")
@access.json_option
def create_key(
    data: str | None,
    company: str | None,
    kind: str,
    name: str,
    scopes: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Create a key."""
    key_data = parse_as(
        KeyIn, {"kind": kind, "name": name, "scopes": list(scopes) or None, "store": store}
    )

    async def create(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await access.get_company(db, company)
            return await service.create_key(db, owner.uuid, **msgspec.structs.asdict(key_data))

    _print_key(access.run(data, create), as_json=as_json)


def _print_key(new_key: NewKey, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"id": new_key.row.public_id, "key": new_key.text}))
    else:
        click.echo(f"{new_key.text}\nSave it now. It is not shown again.")


@key.command("list")
@access.company_options
def list_keys(data: str | None, company: str | None, as_json: bool) -> None:
    """List the keys, newest first."""

    async def load(database: Database, _: Settings) -> tuple[list[Key], datetime]:
        async with database.reading() as db:
            owner = await access.get_company(db, company)
            rows = await access.load_all_pages(
                lambda cursor: queries.list_keys(
                    db, owner.uuid, KeyFilters(limit=100, cursor=cursor)
                )
            )
            return rows, db.now

    rows, now = access.run(data, load)
    if as_json:
        click.echo(msgspec.json.encode([KeyOut.from_row(row) for row in rows]))
        return
    tables.print_table(
        ("ID", "KIND", "STATE", "BEGINS WITH", "LAST USED", "SCOPES", "NAME"),
        [
            (
                row.public_id,
                row.kind,
                _describe_state(row, now),
                row.hint,
                f"{to_text(now - row.last_used_at)} ago" if row.last_used_at else "never",
                ",".join(row.scopes) or "-",
                row.name,
            )
            for row in rows
        ],
        empty_text="There are no keys.",
    )


def _describe_state(row: Key, now: datetime) -> str:
    if row.revoked_at is not None:
        return "revoked"
    if row.expires_at is not None and row.expires_at <= now:
        return "expired"
    return "rotated" if row.replaced_by else "alive"


@key.command("revoke")
@access.company_options
@click.argument("key_id")
def revoke_key(data: str | None, company: str | None, as_json: bool, key_id: str) -> None:
    """Revoke a key. Requests with it fail immediately."""

    async def revoke_row(database: Database, _: Settings) -> Key:
        async with database.transaction() as db:
            owner = await access.get_company(db, company)
            row = await queries.KEYS.lock(db, owner.uuid, key_id)
            return await service.revoke_key(db, row)

    revoked_key = access.run(data, revoke_row)
    click.echo(
        msgspec.json.encode(KeyOut.from_row(revoked_key)) if as_json else f"Revoked {key_id}."
    )


@key.command("rotate")
@access.data_option
@access.company_option
@click.option(
    "--overlap",
    type=int,
    default=86400,
    show_default=True,
    help="Seconds during which both keys work.",
)
@access.json_option
@click.argument("key_id")
def rotate_key(
    data: str | None,
    company: str | None,
    overlap: int,
    as_json: bool,
    key_id: str,
) -> None:
    """Replace a key. Both work until the overlap ends."""
    seconds = parse_as(KeyRotation, {"overlap_seconds": overlap}).overlap_seconds

    async def rotate_row(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await access.get_company(db, company)
            row = await queries.KEYS.lock(db, owner.uuid, key_id)
            return await service.rotate_key(db, row, timedelta(seconds=seconds))

    _print_key(access.run(data, rotate_row), as_json=as_json)
