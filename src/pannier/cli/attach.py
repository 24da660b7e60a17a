"""What commands share: settings, the database they work on, and running a coroutine on it."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import asyncpg
import click

from pannier import installation
from pannier.accounts import queries
from pannier.accounts.models import Company
from pannier.db import Database, Db
from pannier.db.actor import COMMAND, Actor
from pannier.db.embedded import Server
from pannier.db.migrate import migrate as run_migrations
from pannier.settings import Settings, load, with_secret

T = TypeVar("T")

data_option = click.option("--data", metavar="DIR", help="The data directory (PANNIER_DATA).")
company_option = click.option(
    "--company", metavar="NAME", help="A company's name or id; needed when there are several."
)


def settings_of(data: str | None) -> Settings:
    """Read the settings, with the secret filled in."""
    return with_secret(load(data=data))


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """Answer the database's address; the embedded one runs while this is open."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    server = Server.open(settings.folder, user=settings.embedded_user)
    if server.notice and server.started:
        click.echo(server.notice, err=True)
    try:
        yield server.url
    finally:
        server.stop()


async def migrate(url: str) -> list[str]:
    """Bring the database up to date, or say in a sentence why not."""
    try:
        return await run_migrations(url)
    except (OSError, asyncpg.PostgresConnectionError, asyncpg.InterfaceError, ValueError) as wrong:
        raise installation.InstallationError(installation.unreachable(wrong)) from wrong
    except (asyncpg.InvalidAuthorizationSpecificationError, asyncpg.InvalidCatalogNameError) as no:
        raise installation.InstallationError(installation.unreachable(no)) from no
    except asyncpg.InsufficientPrivilegeError as forbidden:
        raise installation.InstallationError(
            f"The database's user may not make tables: {forbidden}. "
            "Let it own the database, or grant it CREATE on the schema public."
        ) from forbidden


async def opened(settings: Settings, url: str, *, actor: Actor = COMMAND) -> Database:
    """Migrate, connect and check the secret; what is done there is done by the `actor`."""
    await migrate(url)
    database = await installation.open_database(settings, url, actor=actor)
    await installation.check_secret(database)
    return database


def work(data: str | None, job: Callable[[Database, Settings], Awaitable[T]]) -> T:
    """Run a job on the database of a data directory."""
    settings = settings_of(data)

    async def run(url: str) -> T:
        database = await opened(settings, url)
        try:
            return await job(database, settings)
        finally:
            await database.close()

    with database_url(settings) as url:
        return asyncio.run(run(url))


async def company_of(db: Db, wish: str | None) -> Company:
    """Find the company a command is about."""
    names = await queries.company_names(db)
    if wish is None and len(names) == 1:
        wish = names[0]
    if wish is None:
        raise installation.InstallationError(
            "There is no company yet; run `pannier bootstrap` first."
            if not names
            else f"There are several companies; name one with --company: {', '.join(names)}."
        )
    found = await queries.company_named(db, wish)
    if found is None:
        raise installation.InstallationError(f"There is no company called {wish}.")
    return found
