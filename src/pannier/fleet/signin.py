"""Drivers sign in with a code to their phone, and out again."""

from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.db import Db
from pannier.errors import checked
from pannier.fleet import eligibility
from pannier.fleet.auth import KIND
from pannier.fleet.models import Driver, DriverToken
from pannier.fleet.queries import DRIVERS
from pannier.kit import credential, phone
from pannier.verification import service as verification
from pannier.verification.service import CodeInvalid, Requested

SCOPE: Final = "drivers"
PURPOSE: Final = "login"
LIFE: Final = timedelta(days=180)


class SignedIn(NamedTuple):
    """A driver, and the token that is shown once."""

    driver: Driver
    text: str


async def request_code(db: Db, company: UUID, number: str, *, address: str) -> Requested:
    """Send a code to a driver's phone; whether anybody has that phone, the answer never tells."""
    identity = checked("phone", phone.normalise, number)
    brand = (await accounts.company(db, company)).name
    driver = await _by_phone(db, company, identity)
    return await verification.request(
        db, company, SCOPE, PURPOSE, identity, "sms",
        address=address, brand=brand, quiet=driver is None,
    )  # fmt: skip


async def sign_in(db: Db, company: UUID, number: str, code: str) -> SignedIn:
    """Check the code, and open a session for the driver it was sent to."""
    identity = checked("identity", phone.normalise, number)
    await verification.check(db, company, SCOPE, PURPOSE, identity, code)
    driver = await _by_phone(db, company, identity, lock="for update")
    if driver is None:
        raise CodeInvalid
    return await _opened(db, driver)


async def _by_phone(db: Db, company: UUID, identity: str, *, lock: str = "") -> Driver | None:
    """Find the driver who may sign in with a phone."""
    where = DRIVERS.where(company).equal(phone=identity)
    found = await db.find(Driver, f"select * from drivers {where} {lock}", **where.values)
    return found if found is not None and eligibility.may_work(found.status) else None


async def _opened(db: Db, driver: Driver) -> SignedIn:
    mode = (await accounts.company(db, driver.company)).mode
    minted = credential.mint(KIND, mode)
    token = DriverToken(
        uuid=db.new_uuid(),
        public_id=f"session_{minted.id}",
        company=driver.company,
        driver=driver.uuid,
        secret_hash=minted.hash,
        created_at=db.now,
        last_used_at=db.now,
        expires_at=db.now + LIFE,
    )
    await db.insert("driver_tokens", token)
    return SignedIn(driver, minted.text)


async def sign_out(db: Db, token: UUID) -> None:
    """End a session."""
    await db.update("driver_tokens", token, revoked_at=db.now)


async def sign_out_everywhere(db: Db, driver: Driver) -> None:
    """End every session of a driver, and every code under way."""
    await db.execute(
        """update driver_tokens set revoked_at = :now
           where company = :company and driver = :driver and revoked_at is null""",
        now=db.now,
        company=driver.company,
        driver=driver.uuid,
    )
    await verification.forget(db, driver.company, SCOPE, driver.phone)
