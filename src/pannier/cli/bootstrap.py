"""`pannier bootstrap`: the first company of an installation, or a further one."""

from typing import cast

import click
import msgspec

from pannier import founding
from pannier.cli import attach
from pannier.db import Database
from pannier.founding import Founding
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.settings import Settings


@click.command()
@attach.data_option
@attach.json_option
@click.option("--another", metavar="NAME", help="Found a further company of this name.")
@click.option("--email", metavar="ADDRESS", help="The admin's e-mail address.")
@click.option("--mode", type=click.Choice(["live", "test"]), default="live", show_default=True)
def bootstrap(
    data: str | None,
    as_json: bool,
    another: str | None,
    email: str | None,
    mode: str,
) -> None:
    """Create the first company, its admin and its keys, and show them once."""

    async def job(database: Database, settings: Settings) -> Founding | None:
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

    if another is not None:
        # A wrong folder must not become a second installation.
        attach.existing(data)
    made = attach.begin(data, job)
    if made is None:
        click.echo(_already_done(as_json=as_json))
    elif as_json:
        click.echo(msgspec.json.encode(made))
    else:
        click.echo(made.in_words())


def _already_done(*, as_json: bool) -> str:
    sentence = "This was done already; --another NAME founds a further company."
    return (
        msgspec.json.encode({"status": "done_already", "detail": sentence}).decode()
        if as_json
        else sentence
    )
