"""`pannier bootstrap`: create the first company of an installation, or another one."""

from typing import cast

import click
import msgspec

from pannier import founding
from pannier.accounts import queries
from pannier.cli import attach
from pannier.db import Database
from pannier.founding import Founding
from pannier.installation import InstallationError
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.settings import Settings


@click.command()
@attach.data_option
@attach.json_option
@click.option("--another", metavar="NAME", help="Create another company with this name.")
@click.option("--email", metavar="ADDRESS", help="The admin's e-mail address.")
@click.option("--mode", type=click.Choice(["live", "test"]), default="live", show_default=True)
def bootstrap(
    data: str | None,
    as_json: bool,
    another: str | None,
    email: str | None,
    mode: str,
) -> None:
    """Create the first company with its admin and keys."""

    async def job(database: Database, settings: Settings) -> Founding | None:
        if another is not None:
            await _check_founded(database)
        hasher = Passwords(memory_kib=settings.password_memory)
        name = another or founding.FIRST_COMPANY
        return await founding.found(
            database,
            hasher,
            settings,
            name=name,
            email=email or founding.FIRST_EMAIL,
            mode=cast("Mode", mode),
            only_first=another is None,
        )

    # With a wrong folder or database, this must not create a second installation.
    run = attach.begin if another is None else attach.work
    made = run(data, job)
    if made is None:
        click.echo(_already_done(as_json=as_json))
    elif as_json:
        click.echo(msgspec.json.encode(made))
    else:
        click.echo(made.in_words())


async def _check_founded(database: Database) -> None:
    """Refuse another company if there is no first one."""
    async with database.reading() as db:
        names = await queries.company_names(db)
    if not names:
        raise InstallationError(
            "There is no company in this database yet. Check PANNIER_DATABASE_URL, or create the "
            "first one with `pannier bootstrap`."
        )


def _already_done(*, as_json: bool) -> str:
    sentence = "The first company already exists. Use --another NAME to create another."
    return (
        msgspec.json.encode({"status": "done_already", "detail": sentence}).decode()
        if as_json
        else sentence
    )
