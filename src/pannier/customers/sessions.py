"""Sign-ins: opened, listed, ended."""

from datetime import timedelta
from typing import Final, NamedTuple
from uuid import UUID

from pannier.accounts import queries as accounts
from pannier.customers.auth import KIND
from pannier.customers.models import Customer, CustomerToken
from pannier.db import Db
from pannier.errors import NotFound
from pannier.kit import credential
from pannier.web import addresses
from pannier.web.exchange import Exchange

LIFE: Final = timedelta(days=180)
MOST_ALIVE: Final = 20
LONGEST_AGENT: Final = 200


class Origin(NamedTuple):
    """Where a sign-in comes from."""

    address: str
    user_agent: str

    @classmethod
    def of(cls, exchange: Exchange) -> "Origin":
        """Look at a request; the address is kept roughly only."""
        agent = exchange.headers.get(b"user-agent", b"").decode("latin-1")
        return cls(exchange.address, agent[:LONGEST_AGENT])


class SignedIn(NamedTuple):
    """A customer, and the token that is shown once."""

    customer: Customer
    text: str


async def open_session(db: Db, customer: Customer, method: str, origin: Origin) -> SignedIn:
    """Sign a customer in; of very many sign-ins the oldest end."""
    mode = (await accounts.company(db, customer.company)).mode
    minted = credential.mint(KIND, mode)
    token = CustomerToken(
        uuid=db.new_uuid(),
        public_id=f"session_{minted.id}",
        company=customer.company,
        store=customer.store,
        customer=customer.uuid,
        secret_hash=minted.hash,
        method=method,
        user_agent=origin.user_agent,
        address=addresses.neighbourhood(origin.address),
        created_at=db.now,
        last_used_at=db.now,
        expires_at=db.now + LIFE,
    )
    await db.insert("customer_tokens", token)
    await _end_oldest(db, customer)
    return SignedIn(customer, minted.text)


async def _end_oldest(db: Db, customer: Customer) -> None:
    await db.execute(
        """update customer_tokens set revoked_at = :now, revoked_by = 'too many'
           where uuid in (select uuid from customer_tokens
               where company = :company and customer = :customer and revoked_at is null
               order by created_at desc, uuid desc offset :most)""",
        now=db.now,
        company=customer.company,
        customer=customer.uuid,
        most=MOST_ALIVE,
    )


async def end(db: Db, company: UUID, customer: UUID, session: str, *, by: str) -> None:
    """End one sign-in of a customer."""
    ended = await db.execute(
        """update customer_tokens set revoked_at = :now, revoked_by = :by
           where company = :company and customer = :customer and revoked_at is null
             and (public_id = :session or uuid::text = :session)""",
        now=db.now,
        by=by,
        company=company,
        customer=customer,
        session=session,
    )
    if not ended:
        raise NotFound


async def end_all(
    db: Db, company: UUID, customer: UUID, *, by: str, but: UUID | None = None
) -> int:
    """End every sign-in of a customer, or all but one."""
    return await db.execute(
        """update customer_tokens set revoked_at = :now, revoked_by = :by
           where company = :company and customer = :customer and revoked_at is null
             and uuid is distinct from :but""",
        now=db.now,
        by=by,
        company=company,
        customer=customer,
        but=but,
    )
