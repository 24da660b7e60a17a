"""The customer of a provider's claim: known, linked or new. A claim never merges accounts.

These rules prevent known account pre-hijacking attacks:

* A proved subject that is known identifies its customer, and nobody else.
* An address identifies an account only when both sides have verified it; the customer is notified.
* An account with the address unverified loses it, together with its other unproved access.
* An address that the provider does not vouch for identifies nobody.
* A subject that was only announced grants no access: its proved owner never signs in by it.
"""

from datetime import timedelta
from typing import Final

import asyncpg
from msgspec.structs import asdict

from pannier.accounts.company_settings import queries as company_settings
from pannier.accounts.tokens import service as tokens
from pannier.accounts.tokens.device_proofs import SigninOrigin
from pannier.customers import (
    departures,
    identities,
    provider_identities,
    queries,
    reauthentication,
    service,
    sessions,
)
from pannier.customers.auth import Shopper
from pannier.customers.identities import PhoneOrEmail
from pannier.customers.models import Customer, PendingLink, Provider, ProviderIdentity
from pannier.customers.providers import replays
from pannier.customers.providers.claims import ProvenClaim, ProviderClaim
from pannier.customers.providers.problems import ProofRequired, VerificationRequired
from pannier.customers.service import CustomerExists, StoreRef
from pannier.customers.sessions import CustomerSession
from pannier.db import Db, Where, columns
from pannier.errors import Conflict, Invalid, NotFound
from pannier.notifications import service as notifications
from pannier.notifications.texts import compose
from pannier.verification import service as verification
from pannier.web import budgets
from pannier.web.budgets import Budget

# Each change sends an SMS at the store's expense.
CHANGE_LIMIT: Final = (10, timedelta(days=1))
PENDING_LIFETIME: Final = timedelta(minutes=10)
DEFAULT_NAME: Final = "Customer"
MAX_NAME_LENGTH: Final = 200
# Display names; the contract uses the letters.
PROVIDER_NAMES: Final[dict[Provider, str]] = {"a": "Apple", "b": "Google", "c": "Facebook"}
SIGN_IN_METHODS: Final[dict[Provider, str]] = {
    "a": "provider_a",
    "b": "provider_b",
    "c": "provider_c",
}


class ProviderTaken(Conflict):
    """A provider account can be linked to only one customer per store."""

    code = "provider_taken"
    title = "Another customer uses this provider account."
    remedy = "Sign in with that account, or unlink it from the other customer first."


class LastSignInMethod(Conflict):
    """Without this provider, the customer could no longer sign in."""

    code = "last_way_in"
    title = "This provider is the customer's only sign-in method."
    remedy = "Verify a phone number or an email address first."


async def sign_in(
    db: Db, store: StoreRef, proof: ProvenClaim, origin: SigninOrigin
) -> CustomerSession:
    """Sign in the subject of a provider's claim."""
    if proof.used_token is not None:
        await replays.mark_token_used(db, proof.used_token, origin)
    if proof.assurance == "announced":
        raise await start_email_verification(db, store, proof.claim, origin)
    if proof.assurance == "trusted":
        customer = await find_or_create_trusted_customer(db, store, proof.claim, origin)
        return await sessions.open_session(
            db, customer, reauthentication.UNVERIFIED_METHOD, origin, trusted=True
        )
    customer = await find_or_create_proved_customer(db, store, proof.claim, origin)
    if proof.grant is not None:
        await provider_identities.store_grant(db, store, proof.claim, proof.grant)
    return await sessions.open_session(db, customer, SIGN_IN_METHODS[proof.claim.provider], origin)


async def link_provider(
    db: Db,
    store: StoreRef,
    shopper: Shopper,
    customer: Customer,
    proof: ProvenClaim,
    origin: SigninOrigin,
) -> ProviderIdentity:
    """Link a provider to the signed-in customer, and notify them."""
    reauthentication.require_recent_authentication(db, shopper)
    claim = proof.claim
    if proof.assurance != "proved":
        raise ProofRequired
    if proof.used_token is not None:
        await replays.mark_token_used(db, proof.used_token, origin)
    await _lock_key(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    linked_customer = await _lock_linked_customer(db, store, claim)
    if linked_customer is not None and linked_customer.uuid != customer.uuid:
        raise ProviderTaken
    if linked_customer is None:
        await _spend_change_budget(db, customer)
        await provider_identities.save_link(db, store, customer, claim, verified=True)
        await _notify_customer(db, store, customer, claim.provider)
    if proof.grant is not None:
        await provider_identities.store_grant(db, store, claim, proof.grant)
    return next(
        row
        for row in await provider_identities.list_linked_identities(db, customer)
        if row.subject_columns == claim.subject_columns
    )


async def unlink_provider(db: Db, shopper: Shopper, customer: Customer, link_id: str) -> None:
    """Unlink a provider from the customer, unless it is their only way to sign in."""
    rows = await provider_identities.list_linked_identities(db, customer)
    link = next((row for row in rows if str(row.uuid) == link_id.lower()), None)
    if link is None:
        raise NotFound
    reauthentication.require_recent_authentication(db, shopper)
    if len(rows) == 1 and customer.phone_verified_at is customer.email_verified_at is None:
        raise LastSignInMethod
    await _spend_change_budget(db, customer)
    await departures.unlink_providers(db, customer, link.uuid)
    await tokens.revoke_all_tokens(
        db, shopper.holder, revoked_by="provider unlinked", except_token=shopper.token
    )


async def _spend_change_budget(db: Db, customer: Customer) -> None:
    await budgets.spend(db.database, [Budget(f"customer-providers:{customer.uuid}", *CHANGE_LIMIT)])


async def find_or_create_proved_customer(
    db: Db, store: StoreRef, claim: ProviderClaim, origin: SigninOrigin
) -> Customer:
    """Find or create the customer of a proved claim."""
    await _lock_key(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    customer = await _lock_linked_customer(db, store, claim)
    if customer is not None:
        return customer
    address = _parse_address(claim)
    if address is None or not claim.email_verified:
        customer = await _create_customer(db, store, claim, origin, None, address)
    else:
        customer = await _find_or_create_customer_by_address(db, store, claim, address, origin)
    await provider_identities.save_link(db, store, customer, claim, verified=True)
    return customer


async def _lock_key(db: Db, key: str) -> None:
    """Lock a key, so that two first sign-ins of the same person run one after the other."""
    await db.execute("select pg_advisory_xact_lock(hashtextextended(:key, 0))", key=key)


async def _lock_linked_customer(db: Db, store: StoreRef, claim: ProviderClaim) -> Customer | None:
    """Lock the customer of a proved subject, and record the use of the link.

    A link to a closed account is deleted.
    """
    link = await provider_identities.find_link(db, store, claim)
    if link is None or not link.verified:
        return None
    customer = await _lock_active_customer(db, store, link)
    if customer is None:
        await provider_identities.delete_link(db, link)
    else:
        await db.update("customer_identities", link.uuid, last_used_at=db.now)
    return customer


async def _lock_active_customer(db: Db, store: StoreRef, link: ProviderIdentity) -> Customer | None:
    where = queries.build_active_customer_where(store.company, store.uuid).add_equal(
        uuid=link.customer
    )
    return await db.find(Customer, f"{queries.SELECT} {where} for update", **where.values)


def _parse_address(claim: ProviderClaim) -> PhoneOrEmail | None:
    """Parse the provider's address; return None if it is invalid."""
    try:
        return identities.from_email(claim.email) if claim.email else None
    except Invalid:
        return None


async def _find_or_create_customer_by_address(
    db: Db, store: StoreRef, claim: ProviderClaim, address: PhoneOrEmail, origin: SigninOrigin
) -> Customer:
    """Find or create the customer with an address that the provider vouches for."""
    await _lock_key(db, f"address:{store.uuid}:{address.key}")
    owner = await queries.find_owner(db, store.company, store.uuid, address, lock="for update")
    if owner is None:
        await evict_unverified_accounts(db, store, address)
        return await _create_customer(db, store, claim, origin, address)
    if claim.email_private:
        return await _create_customer(db, store, claim, origin, None, address)
    await _notify_customer(db, store, owner, claim.provider)
    return owner


async def _create_customer(
    db: Db,
    store: StoreRef,
    claim: ProviderClaim,
    origin: SigninOrigin,
    verified_identity: PhoneOrEmail | None,
    unverified_identity: PhoneOrEmail | None = None,
) -> Customer:
    await service.spend_new_customer_budget(db, store, origin)
    other_identities = [] if unverified_identity is None else [unverified_identity]
    try:
        return await service.create_customer(
            db, store, _choose_name(claim), verified_identity, other_identities=other_identities
        )
    except CustomerExists:
        # Another request has just registered the address; the retry finds its customer.
        raise asyncpg.SerializationError("Two requests took the same address at once.") from None


def _choose_name(claim: ProviderClaim) -> str:
    """Choose the provider's name for the customer, or the local part of the address."""
    local_part = (claim.email or "").partition("@")[0]
    for candidate in (claim.name or "", local_part):
        text = "".join(letter for letter in candidate if letter.isprintable()).strip()
        if text:
            return text[:MAX_NAME_LENGTH]
    return DEFAULT_NAME


async def evict_unverified_accounts(db: Db, store: StoreRef, address: PhoneOrEmail) -> None:
    """Revoke the access of accounts on which the address is unverified.

    Their sessions end, and a password without a verified phone is deleted.
    """
    where = queries.build_active_customer_where(store.company, store.uuid).add_equal(
        email_key=address.key
    )
    where.add("email_verified_at is null")
    accounts = await db.fetch_all(
        Customer, f"{queries.SELECT} {where} order by uuid for update", **where.values
    )
    for account in accounts:
        await tokens.revoke_all_tokens(
            db, sessions.make_token_holder(account), revoked_by="address proved by another"
        )
        if account.phone_verified_at is None:
            await db.update("customers", account.uuid, password_hash=None)
    await verification.close_challenges(db, store.company, store.scope, address.key)
    await _delete_pending_link(db, store, address)


async def _delete_pending_link(
    db: Db, store: StoreRef, address: PhoneOrEmail
) -> PendingLink | None:
    return await db.find(
        PendingLink,
        f"""delete from customer_pending_links where company = :company and store = :store
           and email_key = :key and expires_at > pannier_now() returning {columns(PendingLink)}""",
        **store.columns,
        key=address.key,
    )


async def _notify_customer(db: Db, store: StoreRef, customer: Customer, provider: Provider) -> None:
    """Notify a customer on every verified channel that a sign-in method was added."""
    settings = await company_settings.load(db, store.company, store.uuid)
    values = {"brand": settings.branding.name, "provider": PROVIDER_NAMES[provider]}
    text = compose(settings.locale, "account.provider_text", **values)
    if customer.email is not None and customer.email_verified_at is not None:
        subject = compose(settings.locale, "account.provider_subject", **values)
        await notifications.queue_message(
            db, store.company, "email", customer.email, text, subject, store=store.uuid
        )
    if customer.phone is not None and customer.phone_verified_at is not None:
        await notifications.queue_message(
            db, store.company, "sms", customer.phone, text, store=store.uuid
        )


async def find_or_create_trusted_customer(
    db: Db, store: StoreRef, claim: ProviderClaim, origin: SigninOrigin
) -> Customer:
    """Find or create the customer of an unproved claim that the store trusts.

    An account with anything verified is never opened without a proof.
    """
    await _lock_key(db, f"provider:{store.uuid}:{claim.provider}:{claim.subject}")
    link = await provider_identities.find_link(db, store, claim)
    customer = None if link is None else await _lock_active_customer(db, store, link)
    if link is not None and customer is not None:
        if link.verified or not await _has_no_proof(db, customer):
            raise ProofRequired
        return customer
    if link is not None:
        await provider_identities.delete_link(db, link)
    customer = await _create_customer(db, store, claim, origin, None, _parse_address(claim))
    await provider_identities.save_link(db, store, customer, claim, verified=False)
    return customer


async def _has_no_proof(db: Db, customer: Customer) -> bool:
    """Tell whether nothing about the customer was ever verified."""
    where = Where(customer.company).add_equal(customer=customer.uuid, verified=True)
    has_verified_identity = await db.fetch_value(
        f"select exists(select from customer_identities {where})", **where.values
    )
    credentials = (
        customer.email_verified_at,
        customer.phone_verified_at,
        customer.password_hash,
    )
    return not has_verified_identity and credentials == (None, None, None)


async def start_email_verification(
    db: Db, store: StoreRef, claim: ProviderClaim, origin: SigninOrigin
) -> VerificationRequired:
    """Send a code to the address of an unproved claim; the response does not reveal its owner."""
    if not claim.email:
        raise ProofRequired
    address = identities.from_email(claim.email)
    owner = await queries.find_owner(db, store.company, store.uuid, address)
    recipient = service.use_verified_spelling(address, owner)
    timing = await service.request_code(db, store, service.LOGIN, recipient, address=origin.address)
    pending_link = PendingLink(
        **store.columns,
        email_key=address.key,
        name=_choose_name(claim),
        created_at=db.now,
        expires_at=db.now + PENDING_LIFETIME,
        **claim.subject_columns,
    )
    await db.execute(
        """insert into customer_pending_links (company, store, email_key, provider, subject, name,
               created_at, expires_at)
           values (:company, :store, :email_key, :provider, :subject, :name,
               :created_at, :expires_at)
           on conflict (store, email_key) do update
           set provider = :provider, subject = :subject, name = :name,
               created_at = :created_at, expires_at = :expires_at""",
        **asdict(pending_link),
    )
    return VerificationRequired(timing)


async def complete_email_verification(
    db: Db, store: StoreRef, identity: PhoneOrEmail, customer: Customer | None
) -> Customer | None:
    """Link the pending provider sign-in of a verified address, and return the customer.

    Without a customer, create one for the pending sign-in.
    """
    if identity.kind != "email":
        return customer
    pending_link = await _delete_pending_link(db, store, identity)
    if pending_link is None:
        return customer
    if customer is None:
        await evict_unverified_accounts(db, store, identity)
        customer = await service.create_customer(db, store, pending_link.name, identity)
    claim = ProviderClaim(
        provider=pending_link.provider, subject=pending_link.subject, email=identity.text
    )
    # The mailbox is verified, the subject is not: anybody could have sent it.
    await provider_identities.save_link(db, store, customer, claim, verified=False)
    return customer
