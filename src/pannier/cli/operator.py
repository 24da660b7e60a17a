"""`pannier operator`: create and list operators, and reset passwords."""

from collections.abc import Awaitable
from typing import get_args

import click
import msgspec

from pannier.accounts import queries, service
from pannier.accounts.models import Company, Operator, Role
from pannier.accounts.schemas import OperatorChange, OperatorFilters, OperatorIn, OperatorOut
from pannier.cli import access, tables
from pannier.cli.groups import Group
from pannier.cli.validation import parse_as
from pannier.db import Database, Db, Page
from pannier.kit import email, ids
from pannier.kit.passwords import Passwords
from pannier.settings import Settings

PASSWORD_LENGTH = 20


@click.group(cls=Group)
def operator() -> None:
    """Create and list operators, and reset passwords."""


@operator.command("new")
@access.data_option
@access.company_option
@click.option(
    "--role",
    type=click.Choice(get_args(Role)),
    default="viewer",
    show_default=True,
)
@click.option("--name", help="Operator's name; the email address by default.")
@access.json_option
@click.argument("address", metavar="EMAIL")
def create_operator(
    data: str | None, company: str | None, role: str, name: str | None, as_json: bool, address: str
) -> None:
    """Create an operator with a new password."""
    password = ids.random_text(PASSWORD_LENGTH)
    operator_data = parse_as(
        OperatorIn, {"email": address, "name": name or address, "role": role, "password": password}
    )

    async def create(database: Database, settings: Settings) -> Operator:
        hasher = Passwords(memory_kib=settings.password_memory)
        async with database.transaction() as db:
            owner = await access.get_company(db, company)
            return await service.create_operator(db, hasher, owner.uuid, operator_data)

    _print_operator(access.run(data, create), password, as_json=as_json)


@operator.command("list")
@access.company_options
def list_operators(data: str | None, company: str | None, as_json: bool) -> None:
    """List the operators, newest first."""

    async def load(database: Database, _: Settings) -> list[Operator]:
        async with database.reading() as db:
            return await _list_operators(db, await access.get_company(db, company))

    rows = access.run(data, load)
    if as_json:
        click.echo(msgspec.json.encode([OperatorOut.from_row(row) for row in rows]))
        return
    tables.print_table(
        ("ID", "ROLE", "STATE", "EMAIL", "NAME"),
        [(row.public_id, row.role, _describe_state(row), row.email, row.name) for row in rows],
        empty_text="There are no operators.",
    )


async def _list_operators(db: Db, owner: Company) -> list[Operator]:
    def load_page(cursor: str | None) -> Awaitable[Page[Operator]]:
        return queries.list_operators(db, owner.uuid, OperatorFilters(limit=100, cursor=cursor))

    return await access.load_all_pages(load_page)


def _describe_state(row: Operator) -> str:
    return "disabled" if row.disabled_at else "enabled"


@operator.command("reset-password")
@access.company_options
@click.argument("identifier", metavar="ID|EMAIL")
def reset_password(data: str | None, company: str | None, as_json: bool, identifier: str) -> None:
    """Reset an operator's password and end their sessions."""
    password = ids.random_text(PASSWORD_LENGTH)
    change = OperatorChange(password=password)

    async def reset(database: Database, settings: Settings) -> Operator:
        hasher = Passwords(memory_kib=settings.password_memory)
        async with database.reading() as db:
            owner = await access.get_company(db, company)
            ids_by_email = {
                email.key(row.email): row.public_id for row in await _list_operators(db, owner)
            }
        operator_id = ids_by_email.get(email.key(identifier.strip()), identifier)
        password_hash = await service.hash_changed_password(
            database, hasher, owner.uuid, operator_id, change
        )
        async with database.transaction() as db:
            row = await queries.lock_company_operators(db, owner.uuid, operator_id)
            return await service.change_operator(db, row, change, password_hash)

    _print_operator(access.run(data, reset), password, as_json=as_json)


def _print_operator(row: Operator, password: str, *, as_json: bool) -> None:
    if as_json:
        fields = {"id": row.public_id, "email": row.email, "password": password}
        click.echo(msgspec.json.encode(fields))
    else:
        click.echo(f"  Operator   {row.email}\n  Password   {password}\n")
        click.echo("  Save it now. It is not shown again.")
