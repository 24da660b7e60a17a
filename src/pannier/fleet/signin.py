"""Sign-in of drivers with an SMS code, and sign-out."""

from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts.company_settings import phones
from pannier.accounts.tokens import device_proofs
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
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
from pannier.verification.service import CodeTiming

SCOPE: Final = scopes.DRIVERS
PURPOSE: Final = "login"


class DriverSession(NamedTuple):
    """A signed-in driver, the token, which is shown once, and the phone's device proof."""

    driver: Driver
    token: str
    device_proof: str


async def request_code(
    db: Db, company: UUID, number: str, origin: SigninOrigin, *, limit_address: bool
) -> CodeTiming:
    """Send a driver a code. The response does not reveal whether a driver has the number.

    `limit_address` limits requests by address. It is set for public keys.
    """
    identity = await phones.parse(db, company, number)
    driver = await _find_driver(db, company, identity)
    claimant = await _make_claimant(
        db, company, identity, driver, origin, limit_address=limit_address
    )
    code_request = CodeRequest("sms", reserved=True, decoy=driver is None)
    return await verification.request_code(db, claimant, code_request)


async def sign_in(
    db: Db, company: UUID, number: str, code: str, origin: SigninOrigin, *, limit_address: bool
) -> DriverSession:
    """Check the code, and open a session for the driver."""
    identity = await phones.parse(db, company, number, path="identity")
    driver = await _find_driver(db, company, identity)
    claimant = await _make_claimant(
        db, company, identity, driver, origin, limit_address=limit_address
    )
    await verification.check_code(db, claimant, code)
    driver = await _find_driver(db, company, identity, lock="for update")
    if driver is None:
        raise CodeInvalid
    token = await tokens.create_token(db, make_holder(driver), "sms", origin)
    return DriverSession(driver, token.text, token.proof)


async def _make_claimant(
    db: Db,
    company: UUID,
    identity: str,
    driver: Driver | None,
    origin: SigninOrigin,
    *,
    limit_address: bool,
) -> Claimant:
    """Make the claimant of a code. For an unknown phone, run the same queries as for a driver."""
    placeholder = Holder(company, "driver", db.new_uuid(), "")
    known_origin = await device_proofs.find_known_origin(
        db, placeholder if driver is None else make_holder(driver), origin
    )
    code_scope = CodeScope(company, SCOPE, PURPOSE, identity)
    return Claimant(code_scope, origin.address if limit_address else None, known_origin)


async def _find_driver(db: Db, company: UUID, identity: str, *, lock: str = "") -> Driver | None:
    """Find the driver who may sign in with a phone number."""
    where = DRIVERS.where(company).add_equal(phone=identity)
    driver = await db.find(
        Driver, f"select {columns(Driver)} from drivers {where} {lock}", **where.values
    )
    return driver if driver is not None and eligibility.can_work(driver.status) else None


def make_holder(driver: Driver) -> Holder:
    return Holder(driver.company, "driver", driver.uuid, driver.public_id)


async def sign_out_everywhere(db: Db, driver: Driver, *, reason: str) -> None:
    """End all sessions of a driver, and cancel pending codes."""
    await tokens.revoke_all_tokens(db, make_holder(driver), revoked_by=reason)
    await verification.close_challenges(db, driver.company, SCOPE, driver.phone)
