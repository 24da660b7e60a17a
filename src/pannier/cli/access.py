"""Options, settings and database access that all commands share.

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
from pannier.settings import Settings, load, load_or_create_secret, load_secret

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
    name: str, minimum: int, maximum: int, default: int, help_text: str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Add an option with a range and a default."""
    return click.option(
        name,
        type=click.IntRange(minimum, maximum),
        default=default,
        show_default=True,
        help=help_text,
    )


def company_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options for the installation, the company and JSON."""
    return data_option(company_option(json_option(command)))


def load_or_create_settings(data: str | None) -> Settings:
    """Load the settings. Create the secret if it is missing."""
    return load_or_create_secret(load(data=data))


def load_existing_settings(data: str | None) -> Settings:
    """Load the settings of an existing installation. Raise InstallationError if there is none."""
    settings = load_secret(load(data=data))
    if settings.secret is None or not (
        settings.database_url is not None or embedded.has_database(settings.folder)
    ):
        raise InstallationError(describe_missing_installation(settings))
    return settings


def describe_missing_installation(settings: Settings) -> str:
    return (
        f"There is no installation in {settings.folder}. Set its folder with --data or "
        "PANNIER_DATA, or create one with `pannier serve` or `pannier bootstrap`."
    )


@contextmanager
def serve_database(settings: Settings) -> Iterator[str]:
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


async def open_migrated_database(
    settings: Settings, url: str, *, actor: Actor = COMMAND
) -> Database:
    """Migrate and open the database, and check the secret. `actor` is recorded for changes."""
    await installation.run_migrations(url)
    database = await installation.open_database(settings, url, actor=actor)
    async with _close_on_error(database):
        await installation.check_secret(database)
    return database


async def open_current_database(settings: Settings, url: str) -> Database:
    """Open a database that is up to date, without changing it."""
    database = await installation.open_database(settings, url, actor=COMMAND)
    async with _close_on_error(database):
        await installation.check_migrations(database)
        await installation.check_secret(database, store_missing=False)
    return database


@asynccontextmanager
async def _close_on_error(database: Database) -> AsyncIterator[None]:
    try:
        yield
    except BaseException:
        await database.close()
        raise


Job = Callable[[Database, Settings], Awaitable[T]]


def run_after_migration(data: str | None, job: Job[T]) -> T:
    """Run a job on the installation, which is created and migrated if necessary."""
    return _run_job(load_or_create_settings(data), open_migrated_database, job)


def run(data: str | None, job: Job[T]) -> T:
    """Run a job on the existing installation."""
    return _run_job(load_existing_settings(data), open_current_database, job)


def load_hooks() -> None:
    """Import the packages that register hooks. Importing is slow, so do it only when needed."""
    import pannier.files.queries  # noqa: PLC0415 - loaded on demand
    import pannier.invoices.balances  # noqa: PLC0415 - loaded on demand
    import pannier.orders.quotes.service  # noqa: PLC0415 - loaded on demand
    import pannier.planning.queries  # noqa: PLC0415 - loaded on demand
    import pannier.reports.subscriber  # noqa: PLC0415 - loaded on demand
    import pannier.webhooks.fanout  # noqa: F401, PLC0415 - loaded on demand


def _run_job(
    settings: Settings, open_database: Callable[[Settings, str], Awaitable[Database]], job: Job[T]
) -> T:
    load_hooks()

    async def run_on(url: str) -> T:
        database = await open_database(settings, url)
        try:
            return await job(database, settings)
        finally:
            await database.close()

    with serve_database(settings) as url:
        return asyncio.run(run_on(url))


async def load_all_pages(load_page: Callable[[str | None], Awaitable[Page[Row]]]) -> list[Row]:
    """Load all pages of a list."""
    rows: list[Row] = []
    cursor: str | None = None
    while True:
        page = await load_page(cursor)
        rows += page.rows
        cursor = page.next_cursor
        if cursor is None:
            return rows


async def get_company(db: Db, identifier: str | None) -> "Company":
    """Get the company of a command: the specified one, or the only one."""
    from pannier.accounts import queries  # noqa: PLC0415 - `serve` starts faster without accounts

    company_ids = await queries.list_company_ids(db)
    if identifier is None and len(company_ids) == 1:
        identifier = company_ids[0]
    if identifier is None:
        raise InstallationError(
            "No company yet. Run `pannier bootstrap` first."
            if not company_ids
            else f"Several companies found. Choose one with --company: {', '.join(company_ids)}."
        )
    company = await queries.find_company(db, identifier)
    if company is None:
        raise InstallationError(f"Company not found: {identifier}.")
    return company
