"""The provider accounts of customers, as they are stored."""

from msgspec.structs import asdict

from pannier.customers import departures
from pannier.customers.models import Customer, ProviderIdentity
from pannier.customers.providers.claims import ProviderClaim
from pannier.customers.service import StoreRef
from pannier.db import Db, Where, columns, parameters


async def store_grant(db: Db, store: StoreRef, claim: ProviderClaim, grant: str) -> None:
    """Store the grant with which the provider can revoke the sign-in."""
    await db.execute(
        """update customer_identities set grant_sealed = :sealed
           where company = :company and store = :store
             and provider = :provider and subject = :subject""",
        **store.columns,
        **claim.subject_columns,
        sealed=departures.seal(db.database.keys, store.uuid, grant),
    )


async def list_linked_identities(db: Db, customer: Customer) -> list[ProviderIdentity]:
    """List the providers linked to a customer, oldest first."""
    where = Where(customer.company).add_equal(customer=customer.uuid, verified=True)
    return await db.fetch_all(
        ProviderIdentity,
        f"""select {columns(ProviderIdentity)} from customer_identities {where}
            order by created_at, uuid""",
        **where.values,
    )


async def delete_link(db: Db, link: ProviderIdentity) -> None:
    """Delete the link between a subject and a customer."""
    await db.execute(
        "delete from customer_identities where company = :company and uuid = :uuid",
        company=link.company,
        uuid=link.uuid,
    )


async def find_link(db: Db, store: StoreRef, claim: ProviderClaim) -> ProviderIdentity | None:
    """Find the link of a provider's subject in the store."""
    where = Where(store.company).add_equal(store=store.uuid, **claim.subject_columns)
    return await db.find(
        ProviderIdentity,
        f"select {columns(ProviderIdentity)} from customer_identities {where}",
        **where.values,
    )


async def save_link(
    db: Db, store: StoreRef, customer: Customer, claim: ProviderClaim, *, verified: bool
) -> None:
    """Save the link of a subject; a proved link replaces an announced one."""
    row = ProviderIdentity(
        uuid=db.new_uuid(),
        **store.columns,
        customer=customer.uuid,
        email=claim.email,
        verified=verified,
        created_at=db.now,
        last_used_at=db.now,
        **claim.subject_columns,
    )
    await db.execute(
        f"""insert into customer_identities ({columns(ProviderIdentity)})
           values ({parameters(ProviderIdentity)})
           on conflict (store, provider, subject) do update
           set customer = excluded.customer, email = excluded.email, verified = true,
               created_at = excluded.created_at, last_used_at = excluded.last_used_at
           where excluded.verified and not customer_identities.verified""",
        **asdict(row),
    )
