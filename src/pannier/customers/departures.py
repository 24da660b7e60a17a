"""Accounts and grants of closed customers at gateways and providers, until they are deleted."""

from datetime import datetime, timedelta
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.customers.models import Customer
from pannier.db import Db
from pannier.db.row import PlainRow
from pannier.db.sealing import SealedTable
from pannier.jobs.leases import Leases
from pannier.kit.crypto import Keyring

DepartureKind = Literal["payment_account", "provider_grant"]

SEALING_PURPOSE: Final = "departure"
# Attempts back off from an hour to a day, doubling.
MAX_WAIT: Final = timedelta(days=1)
LEASES: Final = Leases("departures", doubles_to=MAX_WAIT)


class Departure(PlainRow, kw_only=True):
    """A gateway account or a provider's grant that must be deleted."""

    store: UUID
    kind: DepartureKind
    # The gateway or provider, and its sealed identifier of the customer.
    party: str
    sealed: bytes
    due_at: datetime
    attempts: int = 0


def seal(keys: Keyring, store: UUID, text: str) -> bytes:
    """Encrypt a gateway's or provider's identifier of a customer."""
    return keys.seal(SEALING_PURPOSE, text.encode(), context=store.bytes)


def unseal(keys: Keyring, store: UUID, ciphertext: bytes) -> str | None:
    """Decrypt an identifier; return None if it was encrypted with another secret."""
    plaintext = keys.unseal(SEALING_PURPOSE, ciphertext, context=store.bytes)
    return None if plaintext is None else plaintext.decode()


class GrantRow(msgspec.Struct, kw_only=True):
    """A provider's grant as stored with the customer's provider identity."""

    uuid: UUID
    store: UUID
    grant_sealed: bytes | None


def reseal_grant(keys: Keyring, row: GrantRow) -> dict[str, bytes | None]:
    """Re-encrypt a grant with the current secret."""
    grant = row.grant_sealed
    ciphertext = grant and keys.reseal(SEALING_PURPOSE, grant, context=row.store.bytes)
    return {"grant_sealed": ciphertext}


def reseal_departure(keys: Keyring, row: Departure) -> dict[str, bytes]:
    """Re-encrypt a departure with the current secret."""
    return {"sealed": keys.reseal(SEALING_PURPOSE, row.sealed, context=row.store.bytes)}


SEALED_GRANTS: Final = SealedTable("customer_identities", GrantRow, reseal_grant)
SEALED: Final = SealedTable("departures", Departure, reseal_departure)


async def schedule_deletion(
    db: Db, customer: Customer, kind: DepartureKind, party: str, ciphertext: bytes
) -> None:
    """Schedule a deletion at a gateway or provider, after the commit."""
    row = Departure(
        **db.new_row_fields(customer.company),
        store=customer.store,
        kind=kind,
        party=party,
        sealed=ciphertext,
        due_at=db.now,
    )
    await db.insert("departures", row)


async def schedule_account_deletion(db: Db, customer: Customer, gateway: str, account: str) -> None:
    """Schedule the deletion of a customer's account at a gateway."""
    ciphertext = seal(db.database.keys, customer.store, account)
    await schedule_deletion(db, customer, "payment_account", gateway, ciphertext)


class _DeletedGrant(msgspec.Struct):
    provider: str
    grant_sealed: bytes


async def unlink_providers(db: Db, customer: Customer, link: UUID | None = None) -> None:
    """Unlink all or one of a customer's providers, and schedule the revocation of their grants."""
    grants = await db.fetch_all(
        _DeletedGrant,
        """with deleted as (
               delete from customer_identities where company = :company and customer = :customer
                 and uuid = coalesce(:link, uuid)
               returning provider, grant_sealed)
           select provider, grant_sealed from deleted where grant_sealed is not null""",
        company=customer.company,
        customer=customer.uuid,
        link=link,
    )
    for grant in grants:
        await schedule_deletion(db, customer, "provider_grant", grant.provider, grant.grant_sealed)
