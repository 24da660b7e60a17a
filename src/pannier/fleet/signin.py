"""Drivers sign in with a code to their phone, and out again."""

from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.models import Holder
from pannier.accounts.tokens.service import Origin
from pannier.db import Db, columns
from pannier.fleet import eligibility
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.verification import service as verification
from pannier.verification.service import CodeInvalid, Requested
from pannier.web import addresses, budgets
from pannier.web.budgets import Budget

SCOPE: Final = "drivers"
PURPOSE: Final = "login"
BY_ADDRESS: Final = (100, timedelta(hours=1))


class SignedIn(NamedTuple):
    """A driver, and the token that is shown once."""

    driver: Driver
    text: str


async def request_code(db: Db, company: UUID, number: str, address: str | None) -> Requested:
    """Send a code to a driver's phone; whether anybody has that phone, the answer never tells."""
    identity = await phones.read(db, company, number)
    driver = await _by_phone(db, company, identity)
    return await verification.request(
        db, company, SCOPE, PURPOSE, identity, "sms",
        address=address, quiet=driver is None,
    )  # fmt: skip


async def charge(db: Db, address: str | None) -> None:
    """Have whoever holds a public key try only so many codes."""
    if address is not None:
        network = addresses.neighbourhood(address)
        await budgets.spend(db.database, [Budget(f"driver-login-from:{network}", *BY_ADDRESS)])


async def sign_in(db: Db, company: UUID, number: str, code: str, origin: Origin) -> SignedIn:
    """Check the code, and open a session for the driver it was sent to."""
    identity = await phones.read(db, company, number, path="identity")
    await verification.check(db, company, SCOPE, PURPOSE, identity, code)
    driver = await _by_phone(db, company, identity, lock="for update")
    if driver is None:
        raise CodeInvalid
    return SignedIn(driver, (await tokens.open_token(db, holder(driver), "sms", origin)).text)


async def _by_phone(db: Db, company: UUID, identity: str, *, lock: str = "") -> Driver | None:
    """Find the driver who may sign in with a phone."""
    where = DRIVERS.where(company).equal(phone=identity)
    found = await db.find(
        Driver, f"select {columns(Driver)} from drivers {where} {lock}", **where.values
    )
    return found if found is not None and eligibility.may_work(found.status) else None


def holder(driver: Driver) -> Holder:
    """Name a driver as tokens do."""
    return Holder(driver.company, "driver", driver.uuid, driver.public_id)


async def sign_out_everywhere(db: Db, driver: Driver, *, by: str) -> None:
    """End every session of a driver, and every code under way."""
    await tokens.revoke_all(db, holder(driver), by=by)
    await verification.forget(db, driver.company, SCOPE, driver.phone)
