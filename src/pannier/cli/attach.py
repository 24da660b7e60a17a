"""Shared by commands: options, settings, and running a job on the database.

`serve`, `worker`, `migrate` and `bootstrap` create an installation if there is none, and migrate
it. All other commands need an installation that is up to date, and do not migrate it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, TypeVar

import click
import msgspec

from pannier import installation
from pannier.db import Database, Db, Page, embedded
from pannier.db.actor import COMMAND, Actor
from pannier.installation import InstallationError
from pannier.settings import Settings, kept_secret, load, with_secret

if TYPE_CHECKING:
    from pannier.accounts.models import Company

T = TypeVar("T")
Row = TypeVar("Row", bound=msgspec.Struct)

data_option = click.option("--data", metavar="DIR", help="Data directory (PANNIER_DATA).")
company_option = click.option(
    "--company", metavar="NAME", help="Company name or id; required if there are several."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


def number_option(
    name: str, least: int, most: int, usual: int, sentence: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option with a range and a default."""
    return click.option(
        name,
        type=click.IntRange(least, most),
        default=usual,
        show_default=True,
        help=sentence,
    )


def company_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for the installation, the company and JSON."""
    return data_option(company_option(json_option(command)))


def settings_of(data: str | None) -> Settings:
    """Load the settings. A missing secret is created."""
    return with_secret(load(data=data))


def existing(data: str | None) -> Settings:
    """Load the settings of an existing installation; nothing is created if there is none."""
    settings = kept_secret(load(data=data))
    if settings.secret is None or not (
        settings.database_url is not None or embedded.exists(settings.folder)
    ):
        raise InstallationError(missing(settings))
    return settings


def missing(settings: Settings) -> str:
    return (
        f"There is no installation in {settings.folder}. Set its folder with --data or "
        "PANNIER_DATA, or create one with `pannier serve` or `pannier bootstrap`."
    )


@contextmanager
def database_url(settings: Settings) -> Iterator[str]:
    """Yield the database's URL; the embedded database runs within the context."""
    if settings.database_url is not None:
        yield settings.database_url
        return
    server = embedded.Server.open(settings.folder, user=settings.embedded_user)
    if server.notice and server.started:
        click.echo(server.notice, err=True)
    try:
        yield server.url
    finally:
        server.stop()


async def begun(settings: Settings, url: str, *, actor: Actor = COMMAND) -> Database:
    """Migrate and open the database, and check the secret. `actor` is recorded for changes."""
    await installation.bring_up_to_date(url)
    database = await installation.open_database(settings, url, actor=actor)
    async with _closed_on_refusal(database):
        await installation.check_secret(database)
    return database


async def found_as_is(settings: Settings, url: str) -> Database:
    """Open a database that is up to date, without changing it."""
    database = await installation.open_database(settings, url, actor=COMMAND)
    async with _closed_on_refusal(database):
        await installation.check_steps(database)
        await installation.check_secret(database, begin=False)
    return database


@asynccontextmanager
async def _closed_on_refusal(database: Database) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        await database.close()
        raise


Job = Callable[[Database, Settings], Awaitable[T]]


def begin(data: str | None, job: Job[T]) -> T:
    """Run a job on the installation, which is created and migrated if necessary."""
    return _run(settings_of(data), begun, job)


def work(data: str | None, job: Job[T]) -> T:
    """Run a job on the existing installation."""
    return _run(existing(data), found_as_is, job)


def load_answers() -> None:
    """Import the packages that register hooks, which takes time, so only when needed."""
    import pannier.files.queries  # noqa: PLC0415 - loaded on demand
    import pannier.orders.quotes.service  # noqa: F401, PLC0415 - loaded on demand


def _run(
    settings: Settings, opened: Callable[[Settings, str], Awaitable[Database]], job: Job[T]
) -> T:
    load_answers()

    async def run(url: str) -> T:
        database = await opened(settings, url)
        try:
            return await job(database, settings)
        finally:
            await database.close()

    with database_url(settings) as url:
        return asyncio.run(run(url))


async def every(read: Callable[[str | None], Awaitable[Page[Row]]]) -> list[Row]:
    """Load all pages of a list."""
    rows: list[Row] = []
    cursor: str | None = None
    while True:
        page = await read(cursor)
        rows += page.rows
        cursor = page.next_cursor
        if cursor is None:
            return rows


async def company_of(db: Db, wish: str | None) -> "Company":
    """Get a command's company: the given one, or the only one."""
    from pannier.accounts import queries  # noqa: PLC0415 - `serve` starts faster without accounts

    names = await queries.company_names(db)
    if wish is None and len(names) == 1:
        wish = names[0]
    if wish is None:
        raise InstallationError(
            "No company yet. Run `pannier bootstrap` first."
            if not names
            else f"Several companies found. Choose one with --company: {', '.join(names)}."
        )
    found = await queries.company_named(db, wish)
    if found is None:
        raise InstallationError(f"Company not found: {wish}.")
    return found
