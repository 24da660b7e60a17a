"""Erasure of the account itself, after the person was erased in every order."""

from uuid import UUID

from pannier.accounts.tokens import service as tokens
from pannier.customers import departures, sessions
from pannier.customers import erasure as customers
from pannier.db import Db, audit
from pannier.imports import erasure as imports
from pannier.invoices import erasure as invoices
from pannier.news import erasure as news
from pannier.partners import erasure as partners
from pannier.payloads import erasure as payloads
from pannier.payments import erasure as payments
from pannier.places import erasure as places
from pannier.privacy.billing import keep_billing_identities
from pannier.privacy.orders import PSEUDONYM
from pannier.privacy.people import DataSubject, list_unshared_addresses
from pannier.privacy.places import erase_places
from pannier.privacy.templates import erase_templates
from pannier.verification import erasure as verification
from pannier.verification import scopes


async def erase_account(db: Db, person: DataSubject) -> None:
    """Replace an account's data with a pseudonym, so that its orders stay grouped."""
    customer, company = person.customer, person.company
    await erase_templates(db, person)
    await keep_billing_identities(db, person)
    await _schedule_departures(db, person)
    await customers.erase_access(db, customer, person.recipients)
    await news.erase(db, company, [*await list_unshared_addresses(db, person), str(customer.uuid)])
    scope = scopes.store_scope(customer.store)
    await verification.erase_challenges(db, company, scope, person.recipients, customer.closed_at)
    place_uuids = await _list_place_uuids(db, person)
    changed_ids = await _erase_loose_records(db, person)
    await tokens.delete_all_tokens(db, sessions.make_token_holder(customer))
    await erase_places(db, person, place_uuids)
    await customers.erase_customer(db, customer, PSEUDONYM)
    pseudonym = f"{PSEUDONYM} {customer.uuid.hex[-6:]}"
    changed_ids += await partners.erase_contacts(db, company, person.contacts, pseudonym)
    await imports.erase(db, company, changed_ids)
    await payments.erase_by_contacts(db, company, person.contacts)
    await invoices.erase_buyers(db, company, person.contacts)
    await audit.erase_changes(db, company, [customer.public_id, *changed_ids])
    await audit.erase_actor(db, company, customer.public_id, PSEUDONYM)
    audit.record(db, company, "customer.erased", customer.public_id)


async def _schedule_departures(db: Db, person: DataSubject) -> None:
    """Schedule the deletion of a customer's data at gateways and providers."""
    customer = person.customer
    await departures.unlink_providers(db, customer)
    for row in await payments.erase_accounts(db, person.company, customer.uuid):
        await departures.schedule_account_deletion(db, customer, row.gateway, row.account)


async def _list_place_uuids(db: Db, person: DataSubject) -> list[UUID]:
    """List the places of a person's contacts and of stops without an order."""
    contacts = await partners.export_contacts(db, person.company, person.contacts)
    stops = await payloads.list_orderless_stops(db, person.company, person.contacts)
    owned_uuids = await places.list_owned_places(
        db, person.company, [row.public_id for row in contacts]
    )
    uuids = {row.place for row in contacts if row.place} | {stop.place for stop in stops}
    return [*(uuids | set(owned_uuids))]


async def _erase_loose_records(db: Db, person: DataSubject) -> list[str]:
    """Erase stops and items of payloads without an order; return their public ids."""
    stops = await payloads.list_orderless_stops(db, person.company, person.contacts)
    items = await payloads.list_orderless_items(db, person.company, person.contacts)
    return [
        *await payloads.erase_stops(db, person.company, [stop.uuid for stop in stops]),
        *await payloads.erase_items(db, person.company, [item.uuid for item in items]),
    ]
