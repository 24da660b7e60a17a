"""Erasure of the account itself, after the person was erased in every order."""

from uuid import UUID

from pannier.accounts.tokens import service as tokens
from pannier.customers import departures, sessions
from pannier.customers import erasure as customers
from pannier.db import Db, audit
from pannier.news import erasure as news
from pannier.partners import erasure as partners
from pannier.payloads import erasure as payloads
from pannier.payments import erasure as payments
from pannier.places import erasure as places
from pannier.privacy.orders import PSEUDONYM
from pannier.privacy.people import Person, list_unshared_addresses
from pannier.privacy.places import erase_places
from pannier.verification import erasure as verification
from pannier.verification import scopes


async def erase_account(db: Db, who: Person) -> None:
    """Replace an account's data with a pseudonym, so that its orders stay grouped."""
    customer, company = who.customer, who.company
    await _leave_others(db, who)
    await customers.erase_access(db, customer, who.recipients)
    await news.erase(db, company, [*await list_unshared_addresses(db, who), str(customer.uuid)])
    scope = scopes.of_store(customer.store)
    await verification.erase(db, company, scope, who.recipients, customer.closed_at)
    homes = await _list_homes(db, who)
    changed = await _erase_loose(db, who)
    await tokens.forget(db, sessions.holder(customer))
    await erase_places(db, who, homes)
    await customers.erase(db, customer, PSEUDONYM)
    pseudonym = f"{PSEUDONYM} {customer.uuid.hex[-6:]}"
    changed += await partners.erase(db, company, who.contacts, pseudonym)
    await payments.erase_owed(db, company, who.contacts)
    await audit.erase(db, company, [customer.public_id, *changed])
    await audit.erase_actor(db, company, customer.public_id, PSEUDONYM)
    audit.write(db, company, "customer.erased", customer.public_id)


async def _leave_others(db: Db, who: Person) -> None:
    """Schedule the deletion of a customer's data at gateways and providers."""
    customer = who.customer
    await departures.leave_providers(db, customer)
    for row in await payments.erase_accounts(db, who.company, customer.uuid):
        await departures.leave_gateway(db, customer, row.gateway, row.account)


async def _list_homes(db: Db, who: Person) -> list[UUID]:
    """List the places of a person's contacts and of stops without an order."""
    contacts = await partners.export(db, who.company, who.contacts)
    stops = await payloads.list_loose_stops(db, who.company, who.contacts)
    owned = await places.list_owned(db, who.company, [row.public_id for row in contacts])
    homes = {row.place for row in contacts if row.place} | {stop.place for stop in stops}
    return [*(homes | set(owned))]


async def _erase_loose(db: Db, who: Person) -> list[str]:
    """Erase stops and items of payloads without an order; return their public ids."""
    stops = await payloads.list_loose_stops(db, who.company, who.contacts)
    items = await payloads.list_loose_items(db, who.company, who.contacts)
    return [
        *await payloads.erase_stops(db, who.company, [stop.uuid for stop in stops]),
        *await payloads.erase_items(db, who.company, [item.uuid for item in items]),
    ]
