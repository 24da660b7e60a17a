"""Drivers sign in with an SMS code, and sign out."""

from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.accounts.tokens import known
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin
from pannier.accounts.tokens.models import Holder
from pannier.db import Db, columns
from pannier.fleet import eligibility
from pannier.fleet.models import Driver
from pannier.fleet.queries import DRIVERS
from pannier.verification import scopes
from pannier.verification import service as verification
from pannier.verification.codes import CodeInvalid
from pannier.verification.models import CodeScope
from pannier.verification.requests import Claimant, CodeRequest
from pannier.verification.service import Requested

SCOPE: Final = scopes.DRIVERS
PURPOSE: Final = "login"


class SignedIn(NamedTuple):
    """A signed-in driver, the token, which is shown once, and the proof that the phone keeps."""

    driver: Driver
    text: str
    proof: str


async def request_code(
    db: Db, company: UUID, number: str, origin: Origin, *, charged: bool
) -> Requested:
    """Send a driver a code. The answer does not reveal whether a driver has the phone.

    `limit_address` limits requests by address. It is set for public keys.
    """
    identity = await phones.read(db, company, number)
    driver = await _by_phone(db, company, identity)
    claimant = await _claimant(db, company, identity, driver, origin, charged=charged)
    wanted = CodeRequest("sms", reserved=True, quiet=driver is None)
    return await verification.request(db, claimant, wanted)


async def sign_in(
    db: Db, company: UUID, number: str, code: str, origin: Origin, *, charged: bool
) -> SignedIn:
    """Check the code, and open a session for the driver."""
    identity = await phones.read(db, company, number, path="identity")
    driver = await _by_phone(db, company, identity)
    claimant = await _claimant(db, company, identity, driver, origin, charged=charged)
    await verification.check(db, claimant, code)
    driver = await _by_phone(db, company, identity, lock="for update")
    if driver is None:
        raise CodeInvalid
    opened = await tokens.open_token(db, holder(driver), "sms", origin)
    return SignedIn(driver, opened.text, opened.proof)


async def _claimant(
    db: Db, company: UUID, identity: str, driver: Driver | None, origin: Origin, *, charged: bool
) -> Claimant:
    """Find the earlier sign-in's origin; for an unknown phone, run the same query anyway."""
    nobody = Holder(company, "driver", db.new_uuid(), "")
    place = await known.place(db, nobody if driver is None else holder(driver), origin)
    code_scope = CodeScope(company, SCOPE, PURPOSE, identity)
    return Claimant(code_scope, origin.address if charged else None, place)


async def _by_phone(db: Db, company: UUID, identity: str, *, lock: str = "") -> Driver | None:
    """Find the driver who may sign in with a phone."""
    where = DRIVERS.where(company).equal(phone=identity)
    found = await db.find(
        Driver, f"select {columns(Driver)} from drivers {where} {lock}", **where.values
    )
    return found if found is not None and eligibility.may_work(found.status) else None


def holder(driver: Driver) -> Holder:
    return Holder(driver.company, "driver", driver.uuid, driver.public_id)


async def sign_out_everywhere(db: Db, driver: Driver, *, by: str) -> None:
    """End all sessions of a driver, and cancel pending codes."""
    await tokens.revoke_all(db, holder(driver), by=by)
    await verification.forget(db, driver.company, SCOPE, driver.phone)
