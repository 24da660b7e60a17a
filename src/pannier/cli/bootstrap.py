"""`pannier bootstrap`: create the first company of an installation, or another one."""

from typing import cast

import click
import msgspec

from pannier import provisioning
from pannier.accounts import queries
from pannier.cli import access
from pannier.db import Database
from pannier.installation import InstallationError
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.provisioning import CompanyCredentials
from pannier.settings import Settings


@click.command()
@access.data_option
@access.json_option
@click.option("--another", metavar="NAME", help="Create another company with this name.")
@click.option("--email", metavar="ADDRESS", help="The admin's email address.")
@click.option("--mode", type=click.Choice(["live", "test"]), default="live", show_default=True)
def bootstrap(
    data: str | None,
    as_json: bool,
    another: str | None,
    email: str | None,
    mode: str,
) -> None:
    """Create the first company with its admin and keys."""

    async def provision(database: Database, settings: Settings) -> CompanyCredentials | None:
        if another is not None:
            await _require_first_company(database)
        hasher = Passwords(memory_kib=settings.password_memory)
        name = another or provisioning.DEFAULT_COMPANY
        return await provisioning.provision_company(
            database,
            hasher,
            settings,
            name=name,
            email=email or provisioning.DEFAULT_EMAIL,
            mode=cast("Mode", mode),
            only_first=another is None,
        )

    # With a wrong folder or database, this must not create a second installation.
    run = access.run_after_migration if another is None else access.run
    credentials = run(data, provision)
    if credentials is None:
        click.echo(_render_existing_company(as_json=as_json))
    elif as_json:
        click.echo(msgspec.json.encode(credentials))
    else:
        click.echo(credentials.to_text())


async def _require_first_company(database: Database) -> None:
    """Refuse another company if there is no first one."""
    async with database.reading() as db:
        names = await queries.list_company_ids(db)
    if not names:
        raise InstallationError(
            "There is no company in this database yet. Check PANNIER_DATABASE_URL, or create the "
            "first one with `pannier bootstrap`."
        )


def _render_existing_company(*, as_json: bool) -> str:
    sentence = "The first company already exists. Use --another NAME to create another."
    return (
        msgspec.json.encode({"status": "done_already", "detail": sentence}).decode()
        if as_json
        else sentence
    )
