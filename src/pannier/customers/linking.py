"""Which customer a provider's word is about: known, linked, or new. Nobody is merged by a claim."""

from datetime import timedelta
from typing import Final

import msgspec

from pannier.customers import service
from pannier.customers.identities import Named
from pannier.customers.models import Customer, Identity, PendingLink, Provider
from pannier.customers.service import Store
from pannier.db import Db, Where

PENDING_LIFE: Final = timedelta(minutes=10)


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """What a provider says of somebody, after its proof was checked."""

    provider: Provider
    subject: str
    name: str | None = None
    email: str | None = None
    # Whether the provider vouches for the address: only then may it lead to an account.
    email_verified: bool = False


async def announced(
    db: Db, store: Store, identity: Named, customer: Customer | None
) -> Customer | None:
    """Link what a provider announced to whoever has shown to own the address."""
    pending = await db.find(
        PendingLink,
        """delete from customer_pending_links where company = :company and store = :store
           and email_key = :key and expires_at > :now returning *""",
        company=store.company,
        store=store.uuid,
        key=identity.key,
        now=db.now,
    )
    if pending is None or identity.kind != "email":
        return customer
    if customer is None:
        customer = await service.take_in(db, store, pending.name, identity)
    claim = Claim(provider=pending.provider, subject=pending.subject, email=identity.text)
    await keep(db, store, customer, claim)
    return customer


async def known(db: Db, store: Store, claim: Claim) -> Identity | None:
    """Find who a provider's subject is to the store."""
    where = Where(store.company).equal(
        store=store.uuid, provider=claim.provider, subject=claim.subject
    )
    return await db.find(Identity, f"select * from customer_identities {where}", **where.values)


async def keep(db: Db, store: Store, customer: Customer, claim: Claim) -> None:
    """Remember who a provider's subject is; one that is somebody's already stays theirs."""
    row = Identity(
        uuid=db.new_uuid(),
        company=store.company,
        store=store.uuid,
        customer=customer.uuid,
        provider=claim.provider,
        subject=claim.subject,
        email=claim.email,
        verified=claim.email_verified,
        created_at=db.now,
        last_used_at=db.now,
    )
    await db.execute(
        """insert into customer_identities (uuid, company, store, customer, provider, subject,
               email, verified, created_at, last_used_at)
           values (:uuid, :company, :store, :customer, :provider, :subject,
               :email, :verified, :created_at, :last_used_at)
           on conflict (store, provider, subject) do nothing""",
        **{name: getattr(row, name) for name in row.__struct_fields__},
    )
