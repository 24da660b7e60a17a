"""Forgetting the account itself: who somebody was, how they signed in, what others have of them."""

from typing import Final

import msgspec

from pannier.accounts.tokens import service as tokens
from pannier.customers import departures, sessions
from pannier.db import Db, audit
from pannier.privacy import logs, payments, places
from pannier.privacy.belongings import LOOSE_ITEMS, LOOSE_STOPS, OWNED_PLACES
from pannier.privacy.people import THEIRS_ALONE, Person
from pannier.verification import scopes

PSEUDONYM: Final = "Former customer"

CUSTOMER: Final = """
    update customers set name = :name, email = null, email_key = null, email_verified_at = null,
        phone = null, phone_verified_at = null, phone_wanted = null, email_wanted = null,
        password_hash = null,
        former = '{}', close_reason = null, meta = '{}', erased_at = :now,
        updated_at = :now, version = version + 1
    where company = :company and uuid = :customer"""
BEGUN: Final = """
    update contacts set erased_at = :now
    where company = :company and uuid = any(:contacts) and erased_at is null"""
CONTACTS: Final = """
    update contacts set name = :pseudonym, title = null, email = null, phone = null,
        locale = null, internal_id = null, place = null, meta = '{}',
        updated_at = :now, version = version + 1
    where company = :company and uuid = any(:contacts)"""
# What proves or reaches somebody; codes go with their challenges. What was asked for after the
# account was closed may be a new one's, and what is open elsewhere a driver's or another store's:
# that is swept days later.
GONE: Final = (
    "delete from customer_devices where company = :company and customer = :customer",
    f"""delete from news_quiet where company = :company and recipient = any(
          array_append(array({THEIRS_ALONE}), :customer::uuid::text))""",
    """delete from customer_pending_links
       where company = :company and store = :store and email_key = any(:recipients)""",
    """delete from challenges where company = :company and identity = any(:recipients)
         and created_at <= :until and (scope = :scope or closed_at is not null)""",
)
LOOSE: Final = (
    f"""update waypoints set notes = null, meta = '{{}}', updated_at = :now, version = version + 1
        where uuid in (select w.uuid from {LOOSE_STOPS})""",
    f"""update entities set description = null, meta = '{{}}', updated_at = :now,
            version = version + 1
        where uuid in (select e.uuid from {LOOSE_ITEMS})""",
)
NAMES: Final = f"""
    select public_id from customers where uuid = :customer
    union all select public_id from contacts where uuid = any(:contacts)
    union all select w.public_id from {LOOSE_STOPS}
    union all select e.public_id from {LOOSE_ITEMS}"""
HOMES: Final = f"""
    select place from contacts where uuid = any(:contacts) and place is not null
    union select w.place from {LOOSE_STOPS}
    union {OWNED_PLACES}"""
ACCOUNTS: Final = """
    delete from payment_customers where company = :company and customer = :customer
    returning gateway, account"""


class _Account(msgspec.Struct):
    gateway: str
    account: str


async def begin(db: Db, who: Person) -> None:
    """Have no proof of somebody kept that comes late: it could come after its order's turn."""
    await db.execute(BEGUN, company=who.company, contacts=who.contacts, now=db.now)


async def forget(db: Db, who: Person) -> None:
    """Leave of an account a pseudonym, by which its orders stay together."""
    customer = who.customer
    named = {
        "company": who.company, "customer": customer.uuid, "store": customer.store,
        "contacts": who.contacts, "recipients": who.recipients, "now": db.now,
        "until": customer.closed_at, "scope": scopes.of_store(customer.store),
        "name": PSEUDONYM, "pseudonym": f"{PSEUDONYM} {customer.uuid.hex[-6:]}",
    }  # fmt: skip
    await _leave(db, who)
    for statement in (*GONE, *LOOSE):
        await db.execute(statement, **named)
    await tokens.forget(db, sessions.holder(customer))
    await places.forget(db, who, await db.value(f"select array({HOMES})", **named))
    await db.execute(CUSTOMER, **named)
    await db.execute(CONTACTS, **named)
    await payments.forget_owed(db, who.company, who.contacts)
    names = await db.value(f"select array({NAMES})", **named)
    await logs.forget_changes(db, who.company, names)
    await logs.forget_acts(db, who.company, customer.public_id, PSEUDONYM)
    audit.write(db, who.company, "customer.erased", customer.public_id)


async def _leave(db: Db, who: Person) -> None:
    """Have gateways and providers give up what they have of somebody."""
    customer = who.customer
    await departures.leave_providers(db, customer)
    for row in await db.many(_Account, ACCOUNTS, company=customer.company, customer=customer.uuid):
        await departures.leave_gateway(db, customer, row.gateway, row.account)
