"""The customer of a provider's claim: known, linked or new. A claim never merges accounts.

These rules prevent known account pre-hijacking attacks:

* A proved subject that is known identifies its customer, and nobody else.
* An address identifies an account only when both sides have verified it; the customer is notified.
* An account that has the address unverified loses it, together with its other unproved access.
* An address that the provider does not vouch for identifies nobody.
* A subject that was only announced grants no access: its proved owner never signs in by it.
"""

from datetime import timedelta
from typing import Final

import asyncpg
from msgspec.structs import asdict

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.known import Origin
from pannier.customers import departures, fresh, identities, queries, service, sessions
from pannier.customers.auth import Shopper
from pannier.customers.identities import Named
from pannier.customers.models import Customer, Identity, PendingLink, Provider
from pannier.customers.providers import replays
from pannier.customers.providers.claims import Claim, ProvenClaim
from pannier.customers.providers.refusals import ProofRequired, VerificationRequired
from pannier.customers.service import CustomerExists, Store
from pannier.customers.sessions import SignedIn
from pannier.db import Db, Where, columns, parameters
from pannier.errors import Conflict, Invalid, NotFound
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.verification import service as verification
from pannier.web import budgets
from pannier.web.budgets import Budget

# Each change sends an SMS at the store's expense.
CHANGES: Final = (10, timedelta(days=1))
PENDING_LIFE: Final = timedelta(minutes=10)
NAMELESS: Final = "Customer"
LONGEST_NAME: Final = 200
# Display names; the contract uses the letters.
PROVIDERS: Final[dict[Provider, str]] = {"a": "Apple", "b": "Google", "c": "Facebook"}
METHODS: Final[dict[Provider, str]] = {"a": "provider_a", "b": "provider_b", "c": "provider_c"}


class ProviderTaken(Conflict):
    """A provider account is linked to one customer of a store."""

    code = "provider_taken"
    title = "Another customer uses this provider account."
    remedy = "Sign in with that account, or unlink it there first."


class LastWayIn(Conflict):
    """Without this provider the customer could not sign in any more."""

    code = "last_way_in"
    title = "This provider is the only way to sign in."
    remedy = "Verify a phone number or an e-mail address first."


async def enter(db: Db, store: Store, proven: ProvenClaim, origin: Origin) -> SignedIn:
    """Sign in the subject of a provider's claim."""
    if proven.used is not None:
        await replays.use(db, proven.used, origin)
    if proven.standing == "announced":
        raise await announce(db, store, proven.claim, origin)
    if proven.standing == "trusted":
        customer = await isolated(db, store, proven.claim, origin)
        return await sessions.open_session(db, customer, fresh.UNPROVED, origin, trusted=True)
    customer = await vouched(db, store, proven.claim, origin)
    if proven.grant is not None:
        await _keep_grant(db, store, proven.claim, proven.grant)
    return await sessions.open_session(db, customer, METHODS[proven.claim.provider], origin)


async def _keep_grant(db: Db, store: Store, claim: Claim, grant: str) -> None:
    """Store the grant with which the provider can revoke the sign-in."""
    await db.execute(
        """update customer_identities set grant_sealed = :sealed
           where company = :company and store = :store
             and provider = :provider and subject = :subject""",
        **store.columns,
        **claim.about,
        sealed=departures.seal(db.database.keys, store.uuid, grant),
    )


async def linked(db: Db, customer: Customer) -> list[Identity]:
    """List the providers linked to a customer, oldest first."""
    where = Where(customer.company).equal(customer=customer.uuid, verified=True)
    return await db.many(
        Identity,
        f"select {columns(Identity)} from customer_identities {where} order by created_at, uuid",
        **where.values,
    )


async def link(
    db: Db, store: Store, shopper: Shopper, customer: Customer, proven: ProvenClaim, origin: Origin
) -> Identity:
    """Link a provider to the signed-in customer, and notify them."""
    fresh.require(db, shopper)
    claim = proven.claim
    if proven.standing != "proved":
        raise ProofRequired
    if proven.used is not None:
        await replays.use(db, proven.used, origin)
    await _line_up(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    other = await _recognised(db, store, claim)
    if other is not None and other.uuid != customer.uuid:
        raise ProviderTaken
    if other is None:
        await _count_change(db, customer)
        await keep(db, store, customer, claim, verified=True)
        await _tell(db, store, customer, claim.provider)
    if proven.grant is not None:
        await _keep_grant(db, store, claim, proven.grant)
    return next(row for row in await linked(db, customer) if row.about == claim.about)


async def unlink(db: Db, shopper: Shopper, customer: Customer, identity: str) -> None:
    """Unlink a provider from the customer, unless it is their only way to sign in."""
    rows = await linked(db, customer)
    found = next((row for row in rows if str(row.uuid) == identity.lower()), None)
    if found is None:
        raise NotFound
    fresh.require(db, shopper)
    if len(rows) == 1 and customer.phone_verified_at is customer.email_verified_at is None:
        raise LastWayIn
    await _count_change(db, customer)
    await departures.leave_providers(db, customer, found.uuid)
    await tokens.revoke_all(db, shopper.holder, by="provider unlinked", but=shopper.token)


async def _count_change(db: Db, customer: Customer) -> None:
    await budgets.spend(db.database, [Budget(f"customer-providers:{customer.uuid}", *CHANGES)])


async def vouched(db: Db, store: Store, claim: Claim, origin: Origin) -> Customer:
    """Find or create the customer of a proved claim."""
    await _line_up(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    customer = await _recognised(db, store, claim)
    if customer is not None:
        return customer
    named = _address(claim)
    if named is None or not claim.email_verified:
        customer = await _new(db, store, claim, origin, None, named)
    else:
        customer = await _by_address(db, store, claim, named, origin)
    await keep(db, store, customer, claim, verified=True)
    return customer


async def _line_up(db: Db, key: str) -> None:
    """Serialise two first sign-ins of the same person."""
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def _recognised(db: Db, store: Store, claim: Claim) -> Customer | None:
    """Find the customer of a proved subject; delete a link to a closed account."""
    link = await known(db, store, claim)
    if link is None or not link.verified:
        return None
    customer = await _living(db, store, link)
    if customer is None:
        await _unlink(db, link)
    else:
        await db.update("customer_identities", link.uuid, last_used_at=db.now)
    return customer


async def _living(db: Db, store: Store, link: Identity) -> Customer | None:
    where = queries.living(store.company, store.uuid).equal(uuid=link.customer)
    return await db.find(Customer, f"{queries.SELECT} {where} for update", **where.values)


async def _unlink(db: Db, link: Identity) -> None:
    await db.execute(
        "delete from customer_identities where company = :company and uuid = :uuid",
        company=link.company,
        uuid=link.uuid,
    )


def _address(claim: Claim) -> Named | None:
    """Parse the provider's address; None when it is invalid."""
    try:
        return identities.of_email(claim.email) if claim.email else None
    except Invalid:
        return None


async def _by_address(db: Db, store: Store, claim: Claim, named: Named, origin: Origin) -> Customer:
    """Find or create the customer with an address that the provider vouches for."""
    await _line_up(db, f"address:{store.uuid}:{named.key}")
    owner = await queries.owner(db, store.company, store.uuid, named, lock="for update")
    if owner is None:
        await evict(db, store, named)
        return await _new(db, store, claim, origin, named)
    if claim.email_private:
        return await _new(db, store, claim, origin, None, named)
    await _tell(db, store, owner, claim.provider)
    return owner


async def _new(
    db: Db,
    store: Store,
    claim: Claim,
    origin: Origin,
    proved: Named | None,
    said: Named | None = None,
) -> Customer:
    await service.count_new(db, store, origin)
    others = [] if said is None else [said]
    try:
        return await service.take_in(db, store, _name(claim), proved, others=others)
    except CustomerExists:
        # Another request has just registered the address; the retry finds its customer.
        raise asyncpg.SerializationError("Two requests took the same address at once.") from None


def _name(claim: Claim) -> str:
    """Return the provider's name for the customer, or the local part of the address."""
    local = (claim.email or "").partition("@")[0]
    for offered in (claim.name or "", local):
        printable = "".join(letter for letter in offered if letter.isprintable()).strip()
        if printable:
            return printable[:LONGEST_NAME]
    return NAMELESS


async def evict(db: Db, store: Store, named: Named) -> None:
    """Revoke the access of accounts that have the address unverified.

    Their sessions end, and a password without a verified phone is deleted.
    """
    where = queries.living(store.company, store.uuid).equal(email_key=named.key)
    where.that("email_verified_at is null")
    squatters = await db.many(
        Customer, f"{queries.SELECT} {where} order by uuid for update", **where.values
    )
    for squatter in squatters:
        await tokens.revoke_all(db, sessions.holder(squatter), by="address proved by another")
        if squatter.phone_verified_at is None:
            await db.update("customers", squatter.uuid, password_hash=None)
    await verification.forget(db, store.company, store.scope, named.key)
    await _forget_announcement(db, store, named)


async def _forget_announcement(db: Db, store: Store, named: Named) -> PendingLink | None:
    return await db.find(
        PendingLink,
        f"""delete from customer_pending_links where company = :company and store = :store
           and email_key = :key and expires_at > pannier_now() returning {columns(PendingLink)}""",
        **store.columns,
        key=named.key,
    )


async def _tell(db: Db, store: Store, customer: Customer, provider: Provider) -> None:
    """Notify a customer on every verified channel that a sign-in method was added."""
    settings = await company_settings.of(db, store.company, store.uuid)
    values = {"brand": settings.branding.name, "provider": PROVIDERS[provider]}
    text = compose(settings.locale, "account.provider_text", **values)
    if customer.email is not None and customer.email_verified_at is not None:
        subject = compose(settings.locale, "account.provider_subject", **values)
        await notifications.send(
            db, store.company, "email", customer.email, text, subject, store=store.uuid
        )
    if customer.phone is not None and customer.phone_verified_at is not None:
        await notifications.send(db, store.company, "sms", customer.phone, text, store=store.uuid)


async def isolated(db: Db, store: Store, claim: Claim, origin: Origin) -> Customer:
    """Find or create the customer of a claim without proof that the store trusts.

    It never opens an account that has anything verified: there a proof is required.
    """
    await _line_up(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    link = await known(db, store, claim)
    customer = None if link is None else await _living(db, store, link)
    if link is not None and customer is not None:
        if link.verified or not await _lonely(db, customer):
            raise ProofRequired
        return customer
    if link is not None:
        await _unlink(db, link)
    customer = await _new(db, store, claim, origin, None, _address(claim))
    await keep(db, store, customer, claim, verified=False)
    return customer


async def _lonely(db: Db, customer: Customer) -> bool:
    """Return whether nothing about the customer was ever verified."""
    where = Where(customer.company).equal(customer=customer.uuid, verified=True)
    proved = await db.value(
        f"select exists(select from customer_identities {where})", **where.values
    )
    own = (customer.email_verified_at, customer.phone_verified_at, customer.password_hash)
    return not proved and own == (None, None, None)


async def announce(db: Db, store: Store, claim: Claim, origin: Origin) -> VerificationRequired:
    """Send a code to the address of an unproved claim; the answer does not reveal its owner."""
    if not claim.email:
        raise ProofRequired
    named = identities.of_email(claim.email)
    owner = await queries.owner(db, store.company, store.uuid, named)
    to = service.as_proved(named, owner)
    sent = await service.request_code(db, store, service.LOGIN, to, address=origin.address)
    pending = PendingLink(
        **store.columns,
        email_key=named.key,
        name=_name(claim),
        created_at=db.now,
        expires_at=db.now + PENDING_LIFE,
        **claim.about,
    )
    await db.execute(
        """insert into customer_pending_links (company, store, email_key, provider, subject, name,
               created_at, expires_at)
           values (:company, :store, :email_key, :provider, :subject, :name,
               :created_at, :expires_at)
           on conflict (store, email_key) do update
           set provider = :provider, subject = :subject, name = :name,
               created_at = :created_at, expires_at = :expires_at""",
        **asdict(pending),
    )
    return VerificationRequired(sent)


async def announced(
    db: Db, store: Store, identity: Named, customer: Customer | None
) -> Customer | None:
    """Return the customer of a verified address; create and link the one that was announced."""
    if identity.kind != "email":
        return customer
    pending = await _forget_announcement(db, store, identity)
    if pending is None:
        return customer
    if customer is None:
        await evict(db, store, identity)
        customer = await service.take_in(db, store, pending.name, identity)
    claim = Claim(provider=pending.provider, subject=pending.subject, email=identity.text)
    # The mailbox is verified, the subject is not: anybody could have announced it.
    await keep(db, store, customer, claim, verified=False)
    return customer


async def known(db: Db, store: Store, claim: Claim) -> Identity | None:
    """Find the link of a provider's subject in the store."""
    where = Where(store.company).equal(store=store.uuid, **claim.about)
    return await db.find(
        Identity, f"select {columns(Identity)} from customer_identities {where}", **where.values
    )


async def keep(db: Db, store: Store, customer: Customer, claim: Claim, *, verified: bool) -> None:
    """Save the link of a subject; a proved link replaces an announced one."""
    row = Identity(
        uuid=db.new_uuid(),
        **store.columns,
        customer=customer.uuid,
        email=claim.email,
        verified=verified,
        created_at=db.now,
        last_used_at=db.now,
        **claim.about,
    )
    await db.execute(
        f"""insert into customer_identities ({columns(Identity)})
           values ({parameters(Identity)})
           on conflict (store, provider, subject) do update
           set customer = excluded.customer, email = excluded.email, verified = true,
               created_at = excluded.created_at, last_used_at = excluded.last_used_at
           where excluded.verified and not customer_identities.verified""",
        **asdict(row),
    )
