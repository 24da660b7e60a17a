"""Settings of prices, fees and taxes."""

from decimal import Decimal
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta

from pannier.kit.money import MAX_AMOUNT
from pannier.kit.tax import Rounding
from pannier.kit.wording import MESSAGE
from pannier.web.fields import Clearable

DispatchRequires = Literal["nothing", "price", "payment"]
UndeliveredCharge = Literal["keep", "void", "return_fee"]
PriceChanges = Literal["adjust", "refuse", "keep"]
CancellationRefund = Literal["automatic", "manual"]
FeeAmount = Annotated[
    int, Meta(ge=0, le=MAX_AMOUNT, description="Minor units of the order's currency.")
]
FeePercent = Annotated[
    str,
    Meta(
        pattern=r"^[0-9]{1,15}\Z|^[0-9]{1,3}(\.[0-9]{1,2})? ?%\Z",
        description="A share of the price, such as `50%`.",
        examples=["50%"],
        extra={MESSAGE: "must be minor units such as 450, or a share of the price such as 50%."},
    ),
]
Fee = FeeAmount | FeePercent
# An order's stages until it is canceled.
FeeStage = Literal["created", "dispatched", "started"]

DispatchDemand = Annotated[
    DispatchRequires,
    Meta(
        description="What an order needs before dispatch: `nothing`, an accepted `price`, "
        "or its `payment` in full."
    ),
]
Undelivered = Annotated[
    UndeliveredCharge,
    Meta(
        description="The charge for an order that could not be delivered: `keep` the price, "
        "`void` it, or charge the `return_fee`. Any excess payment is refunded."
    ),
]
PriceChange = Annotated[
    PriceChanges,
    Meta(
        description="When a change of an order moves its accepted price: `adjust` the price, "
        "`refuse` the change, or `keep` the price."
    ),
]
CanceledRefund = Annotated[
    CancellationRefund,
    Meta(
        description="Whether a paid order that is canceled is refunded: `automatic`, less the "
        "cancellation fee, or `manual`, by a person. A customer's own cancellation is always "
        "refunded."
    ),
]
PricesIncludeTax = Annotated[bool, Meta(description="Whether rates and charges include tax.")]
EmailInvoices = Annotated[
    bool, Meta(description="Whether issued invoices are emailed to their customers.")
]
TaxRate = Annotated[
    Decimal,
    Meta(
        description="Tax in per cent, with at most four decimals.",
        examples=[25.5],
    ),
]
TaxRounding = Annotated[
    Rounding, Meta(description="Whether tax is rounded per `line` or per `document`.")
]
TaxNumber = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=64,
        description="The company's tax number, for invoices.",
        examples=["FI12345678"],
    ),
]


class CancellationFeeSettings(msgspec.Struct, kw_only=True, frozen=True):
    """Configured fees by the stage that an order has reached when it is canceled."""

    created: Clearable[Fee] = UNSET
    dispatched: Clearable[Fee] = UNSET
    started: Clearable[Fee] = UNSET


class CancellationFees(msgspec.Struct, kw_only=True, frozen=True):
    """Fees by the stage that an order has reached when it is canceled. None by default."""

    created: Fee = 0
    dispatched: Fee = 0
    started: Fee = 0

    def get_fee(self, stage: FeeStage) -> int | str:
        fee: int | str = getattr(self, stage)
        return fee


class TaxTerms(msgspec.Struct, kw_only=True, frozen=True):
    """How a company taxes its charges, unless a rate or an area says otherwise."""

    rate: Decimal | None = None
    inclusive: bool = True
    rounding: Rounding = "line"


LegalName = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=200,
        description="The seller's name on invoices. Defaults to the company's name.",
        examples=["Acme Couriers Oy"],
    ),
]
Street = Annotated[str, Meta(min_length=1, max_length=200, examples=["Mannerheimintie 1"])]
PostalCode = Annotated[str, Meta(min_length=1, max_length=20, examples=["00100"])]
City = Annotated[str, Meta(min_length=1, max_length=100, examples=["Helsinki"])]
AddressCountry = Annotated[
    str, Meta(min_length=2, max_length=2, description="ISO 3166, two letters.", examples=["FI"])
]
Iban = Annotated[
    str,
    Meta(
        min_length=15,
        max_length=42,
        description="The account for transfers. Spaces are removed.",
        examples=["FI2112345600000785"],
    ),
]
Bic = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z]{6}[A-Za-z0-9]{2}([A-Za-z0-9]{3})?\Z",
        description="The bank of the account.",
        examples=["NDEAFIHH"],
        extra={MESSAGE: "must be a BIC of 8 or 11 characters, such as NDEAFIHH."},
    ),
]
InvoiceText = Annotated[
    str, Meta(min_length=1, max_length=1000, examples=["Please state the number of the invoice."])
]
NumberPrefix = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z0-9./_-]{1,20}\Z",
        description="Before the year and the number, as in `INV-2026-00042`.",
        examples=["INV-"],
        extra={MESSAGE: "must have at most 20 letters, digits and characters of `./_-`."},
    ),
]
PaymentDays = Annotated[
    int,
    Meta(
        ge=0,
        le=365,
        description="Days until an invoice is due, unless the customer has other terms.",
        examples=[14],
    ),
]
DEFAULT_INVOICE_PREFIX = "INV-"
DEFAULT_CREDIT_NOTE_PREFIX = "CN-"
DEFAULT_PAYMENT_DAYS = 14


class BillingAddressSettings(msgspec.Struct, kw_only=True, frozen=True):
    """The configured address of the company on its invoices."""

    street: Clearable[Street] = UNSET
    postal_code: Clearable[PostalCode] = UNSET
    city: Clearable[City] = UNSET
    country: Clearable[AddressCountry] = UNSET


class BillingAddress(msgspec.Struct, kw_only=True, frozen=True):
    """The address of the company on its invoices."""

    street: Street | None = None
    postal_code: PostalCode | None = None
    city: City | None = None
    country: AddressCountry | None = None


class InvoiceTerms(msgspec.Struct, kw_only=True, frozen=True):
    """The seller, the payment and the numbers of a company's invoices."""

    legal_name: str
    address: BillingAddress
    iban: str | None
    bic: str | None
    payment_instructions: str | None
    footer: str | None
    payment_terms_days: int
    invoice_prefix: str
    credit_note_prefix: str
    # Whether they are emailed to the customer when they are issued.
    are_emailed: bool
