"""`pannier key`: issue, list, revoke and rotate keys from a shell."""

from datetime import timedelta
from typing import cast

import click
import msgspec

from pannier.accounts import queries, service
from pannier.accounts.models import KEY_PREFIXES, Key, KeyKind
from pannier.accounts.schemas import KeyFilters, KeyOut
from pannier.accounts.service import NewKey
from pannier.cli import attach
from pannier.db import Database
from pannier.settings import Settings

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")


@click.group()
def key() -> None:
    """Issue, list, revoke and rotate keys."""


@key.command("new")
@attach.data_option
@attach.company_option
@click.option("--kind", type=click.Choice(list(KEY_PREFIXES)), default="api", show_default=True)
@click.option("--name", default="Made on the command line", show_default=True)
@click.option("--scope", "scopes", multiple=True, help="May be given several times; all, if not.")
@click.option("--store", help="The store of a storefront key; the first, if not given.")
@json_option
def new(
    data: str | None,
    company: str | None,
    kind: str,
    name: str,
    scopes: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Issue a key, and show it once."""

    async def job(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            return await service.create_key(
                db,
                owner.uuid,
                kind=cast("KeyKind", kind),
                name=name,
                scopes=list(scopes) or None,
                store=store,
            )

    _show(attach.work(data, job), as_json=as_json)


def _show(made: NewKey, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.encode({"id": made.row.public_id, "key": made.text}))
    else:
        click.echo(f"{made.text}\nKeep it: it is shown this once.")


@key.command("list")
@attach.data_option
@attach.company_option
@json_option
def list_keys(data: str | None, company: str | None, as_json: bool) -> None:
    """List the keys, newest first."""

    async def job(database: Database, _: Settings) -> list[Key]:
        async with database.reading() as db:
            owner = await attach.company_of(db, company)
            rows: list[Key] = []
            filters: KeyFilters | None = KeyFilters(limit=100)
            while filters is not None:
                page = await queries.keys(db, owner.uuid, filters)
                rows += page.rows
                more = page.next_cursor
                filters = None if more is None else KeyFilters(limit=100, cursor=more)
            return rows

    rows = attach.work(data, job)
    if as_json:
        click.echo(msgspec.json.encode([KeyOut.of(row) for row in rows]))
        return
    for row in rows:
        state = "revoked" if row.revoked_at else "rotated" if row.replaced_by else "alive"
        click.echo(f"{row.public_id}  {row.kind:10}  {state:7}  {row.hint:18}  {row.name}")


@key.command("revoke")
@attach.data_option
@attach.company_option
@click.argument("key_id")
def revoke(data: str | None, company: str | None, key_id: str) -> None:
    """End a key; the very next request with it is refused."""

    async def job(database: Database, _: Settings) -> None:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            row = await queries.KEYS.take(db, owner.uuid, key_id)
            await service.revoke_key(db, row)

    attach.work(data, job)
    click.echo(f"Revoked {key_id}.")


@key.command("rotate")
@attach.data_option
@attach.company_option
@click.option("--overlap", default=86400, show_default=True, help="Seconds both keys work.")
@json_option
@click.argument("key_id")
def rotate(
    data: str | None,
    company: str | None,
    overlap: int,
    as_json: bool,
    key_id: str,
) -> None:
    """Issue a successor of a key; both work until the overlap ends."""

    async def job(database: Database, _: Settings) -> NewKey:
        async with database.transaction() as db:
            owner = await attach.company_of(db, company)
            row = await queries.KEYS.take(db, owner.uuid, key_id)
            return await service.rotate_key(db, row, timedelta(seconds=overlap))

    _show(attach.work(data, job), as_json=as_json)
