"""Creation of a company with a store, a default order flow, an admin and keys."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final
from uuid import UUID

import msgspec

import pannier.files.queries  # noqa: F401 - registers a hook of the company settings
from pannier.accounts import queries, service, signin
from pannier.accounts.models import Company, KeyKind
from pannier.accounts.schemas import OperatorIn
from pannier.db import Database, Db
from pannier.kit import ids
from pannier.kit.credential import Mode
from pannier.kit.passwords import Passwords
from pannier.orders.configs import service as configs
from pannier.settings import Settings

PASSWORD_LENGTH = 20
DEFAULT_COMPANY = "My company"
DEFAULT_EMAIL = "admin@pannier.test"
KEY_NAMES: Final[Mapping[KeyKind, str]] = {
    "api": "Server key",
    "storefront": "Storefront key",
    "app": "Driver app key",
}


class CompanyCredentials(msgspec.Struct):
    """A new company and its credentials. The secrets cannot be shown again."""

    company: str
    api_key: str
    storefront_key: str
    app_key: str
    operator_email: str
    operator_password: str
    operator_token: str

    def to_text(self) -> str:
        return "\n".join(
            (
                f"  Company          {self.company}",
                f"  API key          {self.api_key}",
                f"  Storefront key   {self.storefront_key}",
                f"  App key          {self.app_key}",
                f"  Operator         {self.operator_email}",
                f"  Password         {self.operator_password}",
                f"  Operator token   {self.operator_token}",
                "",
                "  Save these now. They are not shown again.",
            )
        )


async def create_company(db: Db, name: str, mode: Mode) -> Company:
    """Create a company with a store and the default order flow."""
    company = await service.create_company(db, name, mode)
    await service.create_store(db, company.uuid, f"{name} store")
    await configs.create_default(db, company.uuid)
    return company


async def provision_company(
    database: Database,
    hasher: Passwords,
    settings: Settings,
    *,
    name: str = DEFAULT_COMPANY,
    email: str = DEFAULT_EMAIL,
    mode: Mode = "live",
    only_first: bool = True,
    seed: Callable[[Db, UUID], Awaitable[None]] | None = None,
) -> CompanyCredentials | None:
    """Create a company with an admin, a store and keys.

    Return None if `only_first` is set and the installation already has a company.
    """
    password = ids.random_text(PASSWORD_LENGTH)
    async with database.transaction() as db:
        # Two concurrent commands must not both create the first company.
        await db.execute("lock table companies in share row exclusive mode")
        if only_first and await queries.find_first_company(db) is not None:
            return None
        company = await create_company(db, name, mode)
        keys = {
            f"{kind}_key": (
                await service.create_key(db, company.uuid, kind=kind, name=key_name)
            ).text
            for kind, key_name in KEY_NAMES.items()
        }
        admin = OperatorIn(email, "Administrator", "admin", password)
        operator = await service.create_operator(db, hasher, company.uuid, admin)
        session = await signin.open_session(db, operator, signin.get_session_lifetime(settings))
        if seed is not None:
            await seed(db, company.uuid)
    return CompanyCredentials(
        company=company.public_id,
        **keys,
        operator_email=operator.email,
        operator_password=password,
        operator_token=session.text,
    )


async def provision_demo(
    database: Database, hasher: Passwords, settings: Settings
) -> CompanyCredentials | None:
    """Create the demo company, in test mode and with orders. Return None if it exists."""
    # Only a demo needs these modules.
    from pannier.demo import content, seeding  # noqa: PLC0415 - see above

    async with database.reading() as db:
        if await queries.find_company(db, content.COMPANY) is not None:
            return None
    return await provision_company(
        database,
        hasher,
        settings,
        name=content.COMPANY,
        mode="test",
        only_first=False,
        seed=seeding.seed,
    )
