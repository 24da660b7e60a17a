"""What is kept of a person, in JSON: everything of theirs, and nobody else's.

Who worked for the company on it, such as a driver or an operator, is not the person's to take away.
"""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.customers.desk import CustomerShown
from pannier.db import PageIn
from pannier.fleet.schemas import Spot
from pannier.payloads.schemas import EntityOut, WaypointOut
from pannier.places.schemas import PlaceOut
from pannier.web.times import Time

Own = dict[str, Any]


class ExportFilters(PageIn, frozen=True, kw_only=True):
    """How somebody's data are wanted."""

    format: Annotated[
        Literal["json", "zip"],
        Meta(description="One JSON document, or a ZIP of it with the pictures.", examples=["json"]),
    ] = "json"


class ContactExport(msgspec.Struct, kw_only=True):
    """A contact that is the person."""

    id: str
    uuid: UUID
    name: str
    title: str | None
    email: str | None
    phone: str | None
    locale: str | None
    internal_id: str | None
    type: str
    meta: Own
    created_at: Time
    updated_at: Time


class LinkExport(msgspec.Struct, kw_only=True):
    """Who the person is to a provider."""

    provider: str
    subject: str
    email: str | None
    verified: bool
    created_at: Time
    last_used_at: Time


class DeviceExport(msgspec.Struct, kw_only=True):
    """A device that push messages reach."""

    id: str
    platform: str
    token: str
    details: Own
    created_at: Time
    last_seen_at: Time


class SessionExport(msgspec.Struct, kw_only=True):
    """A sign-in, alive or ended."""

    method: str
    user_agent: str
    address: str
    created_at: Time
    last_used_at: Time
    revoked_at: Time | None


class AccountExport(msgspec.Struct, kw_only=True):
    """An account at a payment gateway."""

    gateway: str
    account: str
    created_at: Time


class TransactionExport(msgspec.Struct, kw_only=True):
    """What the person owes or has paid, in whole minor units."""

    id: str
    amount: int
    currency: str
    status: str
    amount_paid: int
    amount_refunded: int
    void_reason: str | None
    created_at: Time


class MessageExport(msgspec.Struct, kw_only=True):
    """A message that went to the person; codes that are on their way are not shown."""

    channel: str
    recipient: str
    subject: str
    body: str
    state: str
    created_at: Time
    sent_at: Time | None


class ChangeExport(msgspec.Struct, kw_only=True):
    """A change of what is kept of the person."""

    action: str
    before: Own
    after: Own
    details: Own
    created_at: Time


class StatusExport(msgspec.Struct, kw_only=True):
    """Something that happened to the order, or at the person's door."""

    code: str
    status: str
    details: str
    location: Spot | None
    meta: Own
    occurred_at: Time
    created_at: Time


class ProofExport(msgspec.Struct, kw_only=True):
    """A proof of delivery to the person; `picture` is its name in the archive."""

    id: str
    subject_id: str
    method: str
    raw_data: str | None
    remarks: str | None
    data: Own
    picture: str | None
    created_at: Time
    received_at: Time


class AttemptExport(msgspec.Struct, kw_only=True):
    """An attempt to hand something to the person that failed."""

    number: int
    label: str
    remarks: str | None
    location: Spot | None
    occurred_at: Time


class IssueExport(msgspec.Struct, kw_only=True):
    """Something that went wrong with the order."""

    title: str | None
    report: str
    resolution: str | None
    created_at: Time


class OrderExport(msgspec.Struct, kw_only=True):
    """What of an order is the person's."""

    id: str
    uuid: UUID
    status: str
    notes: str | None
    meta: Own
    cancel_reason: str | None
    pickup: Annotated[
        PlaceOut | None, Meta(description="Of an order that the person placed themself.")
    ]
    dropoff: PlaceOut | None
    waypoints: list[WaypointOut]
    entities: list[EntityOut]
    statuses: list[StatusExport]
    attempts: list[AttemptExport]
    proofs: list[ProofExport]
    issues: list[IssueExport]
    created_at: Time
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None


class PersonExport(msgspec.Struct, kw_only=True):
    """All that is kept of a person, but for orders and messages."""

    customer: CustomerShown
    former_identities: list[str]
    contacts: list[ContactExport]
    places: list[PlaceOut]
    waypoints: Annotated[
        list[WaypointOut], Meta(description="Stops of payloads that no order moves.")
    ]
    entities: Annotated[
        list[EntityOut], Meta(description="Items of payloads that no order moves, or of none.")
    ]
    providers: list[LinkExport]
    devices: list[DeviceExport]
    sessions: list[SessionExport]
    payment_accounts: list[AccountExport]
    transactions: list[TransactionExport]
    changes: list[ChangeExport]


class CustomerExport(PersonExport, kw_only=True):
    """All that is kept of a person."""

    messages: list[MessageExport]
    orders: list[OrderExport]
