"""JSON schemas of contacts and vendors."""

from collections.abc import Mapping
from typing import Annotated, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.db import PageIn
from pannier.partners.models import Partner, Status
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, CompanyMeta, Given
from pannier.web.identifiers import AnyOf, identifier
from pannier.web.people import Email, Name, Phone
from pannier.web.resource_out import ResourceOut
from pannier.web.serialization import to_schema

InternalId = Annotated[
    str, Meta(max_length=100, description="The company's own number.", examples=["C-1042"])
]
Title = Annotated[str, Meta(max_length=100, examples=["Warehouse manager"])]
Locale = Annotated[
    str,
    Meta(
        min_length=2,
        max_length=35,
        description="The language of notifications, as a BCP 47 tag.",
        examples=["de-AT"],
    ),
]
Kind = Annotated[str, Meta(min_length=1, max_length=50, examples=["customer"])]
PlaceId = Annotated[
    str,
    identifier(
        "place_8KfR2yLq0VbN6wTd", "A place, by its identifier.", min_length=1, max_length=64
    ),
]
PriceGroup = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="Rates with this price group apply.",
        examples=["wholesale"],
    ),
]
DefaultServiceId = Annotated[
    str,
    identifier(
        "service_2KfR8yLq0VbN6wTd",
        "The service rate to prefer when an order is dispatched.",
        min_length=1,
        max_length=64,
    ),
]
PaymentTerms = Annotated[
    int, Meta(ge=0, le=365, description="Days until an invoice is due.", examples=[30])
]
TaxNumber = Annotated[
    str,
    Meta(min_length=1, max_length=64, description="The tax number.", examples=["DE123456789"]),
]
BalanceFilter = Literal["owed", "credit"]
PartnerPaymentStatus = Literal["none", "unpaid", "paid", "overpaid"]
BusinessId = Annotated[
    str,
    Meta(max_length=100, description="The business registration number.", examples=["201912345K"]),
]
WebAddress = Annotated[str, Meta(max_length=2048, examples=["https://couriers.example.com"])]
Country = Annotated[
    str, Meta(min_length=2, max_length=2, description="ISO 3166, two letters.", examples=["SG"])
]
Search = Annotated[
    str, Meta(max_length=200, description="Part of the text to search for.", examples=["ada"])
]


class ContactChange(msgspec.Struct, kw_only=True):
    """Changes to a contact. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["contact"]
    internal_id: Clearable[InternalId] = UNSET
    name: Given[Name] = UNSET
    title: Clearable[Title] = UNSET
    email: Clearable[Email] = UNSET
    phone: Clearable[Phone] = UNSET
    locale: Clearable[Locale] = UNSET
    type: Given[Kind] = UNSET
    place: Clearable[PlaceId] = UNSET
    price_group: Clearable[PriceGroup] = UNSET
    default_service: Clearable[DefaultServiceId] = UNSET
    payment_terms_days: Clearable[PaymentTerms] = UNSET
    tax_number: Clearable[TaxNumber] = UNSET
    meta: Given[CompanyMeta] = UNSET


class ContactIn(ContactChange, kw_only=True):
    """A new contact."""

    name: Name


class VendorChange(ContactChange, kw_only=True):
    """Changes to a vendor. Omitted fields stay; null clears a field."""

    accepts: ClassVar = ACCEPTED["vendor"]
    business_id: Clearable[BusinessId] = UNSET
    website_url: Clearable[WebAddress] = UNSET
    country: Clearable[Country] = UNSET
    status: Given[Status] = UNSET


class VendorIn(VendorChange, kw_only=True):
    """A new vendor."""

    name: Name


class PartnerBalanceOut(msgspec.Struct, kw_only=True):
    """What a contact or vendor owes in a currency."""

    currency: Annotated[str, Meta(description="ISO 4217.", examples=["SGD"])]
    amount: Annotated[
        int,
        Meta(description="In whole minor units. Below zero, it is a credit.", examples=[1496]),
    ]


class PartnerBaseOut(ResourceOut, kw_only=True):
    """Fields that contacts and vendors have in common."""

    internal_id: InternalId | None
    name: Name
    title: Title | None
    email: Email | None
    phone: Phone | None
    locale: Locale | None
    type: Kind
    place: PlaceId | None
    price_group: PriceGroup | None
    default_service: DefaultServiceId | None
    payment_terms_days: PaymentTerms | None
    tax_number: TaxNumber | None
    payment_status: Annotated[
        PartnerPaymentStatus,
        Meta(
            description="`unpaid` if anything is owed, `overpaid` if there is only a credit, "
            "`none` without a transaction."
        ),
    ]
    balances: Annotated[
        list[PartnerBalanceOut],
        Meta(description="Open balances by currency: charges minus payments."),
    ]
    meta: CompanyMeta

    @classmethod
    def from_row(
        cls, row: Partner, public_ids: Mapping[UUID, str], balances: Mapping[str, int] | None
    ) -> Self:
        """Build the output of a partner, with related public ids and its balances by currency.

        Without a transaction, the balances are None.
        """
        return to_schema(
            row,
            cls,
            place=None if row.place is None else public_ids[row.place],
            default_service=(
                None if row.default_service is None else public_ids[row.default_service]
            ),
            payment_status=derive_payment_status(balances),
            balances=[
                PartnerBalanceOut(currency=currency, amount=amount)
                for currency, amount in sorted((balances or {}).items())
            ],
        )


def derive_payment_status(balances: Mapping[str, int] | None) -> PartnerPaymentStatus:
    """Return the payment status of a partner with these balances; None if never charged."""
    if balances is None:
        return "none"
    if any(amount > 0 for amount in balances.values()):
        return "unpaid"
    return "overpaid" if balances else "paid"


class ContactOut(PartnerBaseOut, kw_only=True):
    """A contact."""

    id: Annotated[str, Meta(examples=["contact_4DnWc7ZsPq1XhJ9e"])]


class VendorOut(PartnerBaseOut, kw_only=True):
    """A vendor."""

    id: Annotated[str, Meta(examples=["vendor_7TgYb3MxKs5RvL0a"])]
    name: Annotated[str, Meta(examples=["Swift Couriers"])]
    type: Annotated[str, Meta(examples=["vendor"])]
    business_id: BusinessId | None
    website_url: WebAddress | None
    country: Country | None
    status: Status


class ContactFilters(PageIn, frozen=True, kw_only=True):
    """Filters for listing contacts."""

    sortable: ClassVar[tuple[str, ...]] = ("created_at", "updated_at", "name")

    id: AnyOf[Annotated[str, Meta(max_length=64)]] = None
    query: Search | None = None
    type: Kind | None = None
    internal_id: InternalId | None = None
    email: Email | None = None
    phone: Phone | None = None
    place: PlaceId | None = None
    balance: Annotated[
        BalanceFilter | None,
        Meta(description="`owed`: owes something in a currency; `credit`: has a credit in one."),
    ] = None
    payment_status: Annotated[
        list[PartnerPaymentStatus] | None, Meta(description="Any of these.")
    ] = None


class VendorFilters(ContactFilters, frozen=True, kw_only=True):
    """Filters for listing vendors."""

    business_id: BusinessId | None = None
    country: Country | None = None
    status: Status | None = None


accept_response_fields(ContactChange, ContactOut)
accept_response_fields(VendorChange, VendorOut)
