"""One installation: opening it, and founding the first company in it."""

import asyncpg
import msgspec

from pannier.accounts import queries, service, signin
from pannier.accounts.models import Company
from pannier.accounts.schemas import OperatorIn
from pannier.db import Actor, Database, Db, connect
from pannier.db.actor import WORKER
from pannier.db.connections import Unreachable
from pannier.kit import ids
from pannier.kit.clock import SystemClock
from pannier.kit.credential import Mode
from pannier.kit.crypto import Keyring
from pannier.kit.passwords import Passwords
from pannier.orders.configs import service as configs
from pannier.settings import Settings

PASSWORD_LENGTH = 20
FIRST_COMPANY = "My company"
FIRST_EMAIL = "admin@pannier.test"
DEMO_COMPANY = "Demo City"


class InstallationError(Exception):
    """One sentence for a person: why the installation cannot be opened."""


class Founding(msgspec.Struct):
    """A new company with everything needed to begin; the secrets are shown this once."""

    company: str
    api_key: str
    storefront_key: str
    app_key: str
    operator_email: str
    operator_password: str
    operator_token: str


async def open_database(settings: Settings, url: str, *, actor: Actor = WORKER) -> Database:
    """Connect, or say in a sentence what is wrong with the address."""
    keys = keyring(settings)
    try:
        return await connect(
            url, clock=SystemClock(), keys=keys, size=settings.pool_size, actor=actor
        )
    except (
        OSError,
        Unreachable,
        asyncpg.PostgresError,
        asyncpg.InterfaceError,
        ValueError,
    ) as wrong:
        raise InstallationError(unreachable(wrong)) from wrong


def keyring(settings: Settings) -> Keyring:
    """Answer the keys of the installation's secret, and of those before it."""
    return Keyring(settings.secret or "", settings.older)


def unreachable(wrong: BaseException) -> str:
    """Say why a database cannot be reached."""
    reason = str(wrong).strip().rstrip(".") or type(wrong).__name__
    return f"The database cannot be reached: {reason}. Check PANNIER_DATABASE_URL."


async def check_secret(database: Database) -> None:
    """Refuse to run with other secrets than the one this database works with."""
    ours = database.keys.fingerprint()
    async with database.transaction() as db:
        await db.execute(
            "insert into installation (secret_fingerprint) values (:ours) on conflict do nothing",
            ours=ours,
        )
        theirs = await db.value("select secret_fingerprint from installation")
    if theirs not in database.keys.fingerprints():
        raise InstallationError(
            "PANNIER_SECRET (or the file `secret` in the data directory) is not the one this "
            "database works with. Use the same secret on every machine; one that was replaced "
            "belongs into PANNIER_OLD_SECRETS."
        )


async def founded(database: Database) -> Company | None:
    """Answer the first company, when there is one."""
    async with database.reading() as db:
        return await queries.first_company(db)


async def create_company(db: Db, name: str, mode: Mode) -> Company:
    """Found a company with what every company has: a store and the default flow."""
    company = await service.create_company(db, name, mode)
    await service.create_store(db, company.uuid, f"{name} store")
    await configs.create_default(db, company.uuid)
    return company


async def found(
    database: Database,
    hasher: Passwords,
    settings: Settings,
    *,
    name: str = FIRST_COMPANY,
    email: str = FIRST_EMAIL,
    mode: Mode = "live",
    only_first: bool = True,
) -> Founding | None:
    """Found a company with an admin, a store and keys; None when somebody was first."""
    password = ids.random_text(PASSWORD_LENGTH)
    async with database.transaction() as db:
        # Two commands at the same moment must not both be the first.
        await db.execute("lock table companies in share row exclusive mode")
        if only_first and await queries.first_company(db) is not None:
            return None
        company = await create_company(db, name, mode)
        api = await service.create_key(db, company.uuid, kind="api", name="First key", scopes=["*"])
        store = await service.create_key(
            db, company.uuid, kind="storefront", name="First storefront key", scopes=["*"]
        )
        app = await service.create_key(db, company.uuid, kind="app", name="First app key")
        admin = OperatorIn(email, "Administrator", "admin", password)
        operator = await service.create_operator(db, hasher, company.uuid, admin)
        session = await signin.open_session(db, operator, signin.life(settings.session_hours))
    return Founding(
        company=company.public_id,
        api_key=api.text,
        storefront_key=store.text,
        app_key=app.text,
        operator_email=operator.email,
        operator_password=password,
        operator_token=session.text,
    )


async def found_demo(database: Database, hasher: Passwords, settings: Settings) -> Founding | None:
    """Found the demo company, in test mode; None when it is there already."""
    async with database.reading() as db:
        if await queries.company_named(db, DEMO_COMPANY) is not None:
            return None
    return await found(database, hasher, settings, name=DEMO_COMPANY, mode="test", only_first=False)
