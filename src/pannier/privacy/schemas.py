"""JSON schemas of a person's exported data: everything of theirs, and nobody else's.

Drivers and operators who worked on it are omitted, because their data are not the person's.
"""

from typing import Annotated, Any, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.conversations.models import Side
from pannier.customers.operator_api import CustomerDetailsOut
from pannier.db import PagingIn
from pannier.fleet.schemas import PointOut
from pannier.invoices.document import InvoiceDocument
from pannier.payloads.instructions import DeliveryInstructions
from pannier.payloads.ratings import DeliveryRating
from pannier.payloads.schemas import EntityOut, WaypointOut
from pannier.places.schemas import PlaceOut
from pannier.web.times import Time

JsonObject = dict[str, Any]


class ExportFilters(PagingIn, frozen=True, kw_only=True):
    """The form of the export."""

    format: Annotated[
        Literal["json", "zip"],
        Meta(description="One JSON document, or a ZIP archive with the images.", examples=["json"]),
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
    price_group: str | None
    payment_terms_days: int | None
    tax_number: str | None
    type: str
    meta: JsonObject
    created_at: Time
    updated_at: Time


class LinkExport(msgspec.Struct, kw_only=True):
    """The person's account at a sign-in provider."""

    provider: str
    subject: str
    email: str | None
    verified: bool
    created_at: Time
    last_used_at: Time


class DeviceExport(msgspec.Struct, kw_only=True):
    """A device for push messages."""

    id: str
    platform: str
    token: str
    details: JsonObject
    created_at: Time
    last_seen_at: Time


class SessionExport(msgspec.Struct, kw_only=True):
    """A session, active or ended."""

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
    """A payment that the person owes or has made, in minor currency units."""

    id: str
    amount: int
    currency: str
    status: str
    amount_paid: int
    amount_refunded: int
    void_reason: str | None
    created_at: Time


class InvoiceExport(msgspec.Struct, kw_only=True):
    """An invoice or a credit note to the person. Drafts have no document."""

    id: str
    state: str
    currency: str
    amount: int
    open_amount: int
    document: InvoiceDocument | None


class MessageExport(msgspec.Struct, kw_only=True):
    """A message to the person. Codes that are still valid are hidden."""

    channel: str
    recipient: str
    subject: str
    body: str
    state: str
    created_at: Time
    sent_at: Time | None


class ChangeExport(msgspec.Struct, kw_only=True):
    """A change of the person's data."""

    action: str
    before: JsonObject
    after: JsonObject
    details: JsonObject
    created_at: Time


class StatusExport(msgspec.Struct, kw_only=True):
    """An event of the order, or at the person's stop."""

    code: str
    status: str
    details: str
    location: PointOut | None
    meta: JsonObject
    occurred_at: Time
    created_at: Time


class ProofExport(msgspec.Struct, kw_only=True):
    """A proof of delivery to the person. `picture` is its file name in the archive."""

    id: str
    subject_id: str
    method: str
    raw_data: str | None
    remarks: str | None
    data: JsonObject
    picture: str | None
    created_at: Time
    received_at: Time


class AttemptExport(msgspec.Struct, kw_only=True):
    """A failed delivery attempt to the person."""

    number: int
    label: str
    remarks: str | None
    location: PointOut | None
    occurred_at: Time


class CashExport(msgspec.Struct, kw_only=True):
    """Cash on delivery that the person paid, in minor currency units."""

    amount_due: int
    amount: int
    currency: str
    method: str
    reason: str | None
    collected_at: Time


class IssueExport(msgspec.Struct, kw_only=True):
    """A problem with the order."""

    title: str | None
    report: str
    resolution: str | None
    created_at: Time


class DriverMessageExport(msgspec.Struct, kw_only=True):
    """A message between dispatch and the driver about an order that the person placed."""

    id: str
    sender: Side
    body: str
    sent_at: Time


class OrderExport(msgspec.Struct, kw_only=True):
    """The person's part of an order."""

    id: str
    uuid: UUID
    status: str
    customer_name: Annotated[
        str | None, Meta(description="The name with which the order described the person.")
    ]
    notes: str | None
    delivery_instructions: DeliveryInstructions | None
    rating: DeliveryRating | None
    meta: JsonObject
    cancel_reason: str | None
    pickup: Annotated[
        PlaceOut | None, Meta(description="Only for an order that the person placed.")
    ]
    dropoff: PlaceOut | None
    waypoints: list[WaypointOut]
    entities: list[EntityOut]
    statuses: list[StatusExport]
    attempts: list[AttemptExport]
    cash: list[CashExport]
    proofs: list[ProofExport]
    issues: list[IssueExport]
    driver_messages: list[DriverMessageExport]
    created_at: Time
    scheduled_at: Time | None
    dispatched_at: Time | None
    started_at: Time | None
    completed_at: Time | None
    canceled_at: Time | None


class OrderTemplateExport(msgspec.Struct, kw_only=True):
    """A template for the person's orders, or the person's stops and items in another one."""

    id: str
    name: str
    body: JsonObject
    created_at: Time


class BillingIdentityExport(msgspec.Struct, kw_only=True):
    """What is kept of an erased customer until their transactions are settled."""

    name: str
    address: str | None
    tax_number: str | None
    created_at: Time


class PersonExport(msgspec.Struct, kw_only=True):
    """All data of a person except orders and messages."""

    customer: CustomerDetailsOut
    former_identities: list[str]
    contacts: list[ContactExport]
    places: list[PlaceOut]
    waypoints: Annotated[list[WaypointOut], Meta(description="Stops of payloads without an order.")]
    entities: Annotated[
        list[EntityOut],
        Meta(description="Items without a payload, or of payloads without an order."),
    ]
    providers: list[LinkExport]
    devices: list[DeviceExport]
    sessions: list[SessionExport]
    payment_accounts: list[AccountExport]
    transactions: list[TransactionExport]
    billing_identities: list[BillingIdentityExport]
    invoices: list[InvoiceExport]
    order_templates: list[OrderTemplateExport]
    changes: list[ChangeExport]


class CustomerExport(PersonExport, kw_only=True):
    """All data of a person."""

    messages: list[MessageExport]
    orders: list[OrderExport]
