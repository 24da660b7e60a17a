"""JSON schemas of customers."""

from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.tokens.schemas import DeviceProof
from pannier.customers.models import Customer, Platform, Provider
from pannier.customers.models import ProviderIdentity as LinkedIdentity
from pannier.customers.sessions import CustomerSession
from pannier.kit.structs import convert_struct
from pannier.kit.wording import MESSAGE
from pannier.verification.service import CodeTiming
from pannier.web.compatibility import ACCEPTED, accept_response_fields
from pannier.web.fields import Clearable, Given
from pannier.web.former_names import former_name
from pannier.web.people import Email, Name, Phone
from pannier.web.resource_out import PublicId
from pannier.web.serialization import to_schema
from pannier.web.times import Time

CustomerId = Annotated[str, Meta(max_length=100, examples=["customer_7wQn4ZcT1kXv9LsR"])]
IdentityText = Annotated[
    str, Meta(min_length=1, max_length=254, description="A phone number or an email address.",
              examples=["+6591234567"])
]  # fmt: skip
CodeText = Annotated[str, Meta(min_length=1, max_length=64, examples=["482913"])]
Password = Annotated[
    str, Meta(min_length=1, max_length=1024, examples=["a long sentence of my own"])
]
# Limited so that it fits into an index here and in the table of messages.
PushToken = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=2500,
        pattern=r"^[\x20-\x7e]+\Z",
        examples=["fcm-registration-token"],
        extra={MESSAGE: "must be text of printable ASCII characters."},
    ),
]
AppVersion = Annotated[str, Meta(max_length=50, examples=["4.2.0"])]
DeviceLocale = Annotated[str, Meta(max_length=35, examples=["en-SG"])]
MetaObject = Annotated[
    dict[str, Any], Meta(description="Free data of the app, up to 16 KiB.",
                         examples=[{"newsletter": True}])
]  # fmt: skip


class CustomerOut(msgspec.Struct, kw_only=True):
    """A customer."""

    id: CustomerId
    uuid: UUID
    public_id: PublicId
    contact: Annotated[UUID, Meta(description="The customer's contact in orders.")]
    name: Name
    email: Email | None
    phone: Phone | None
    email_verified: bool
    phone_verified: bool
    meta: MetaObject
    created_at: Time
    updated_at: Time

    @classmethod
    def from_row(cls, row: Customer) -> Self:
        return to_schema(
            row,
            cls,
            email_verified=row.email_verified_at is not None,
            phone_verified=row.phone_verified_at is not None,
        )


class CustomerSignedIn(CustomerOut, kw_only=True):
    """A signed-in customer with a token. The customer's fields are repeated for existing apps."""

    token: Annotated[str, Meta(description="Shown once.", examples=["cst_live_8sKf…"])]
    customer: CustomerOut
    device_proof: DeviceProof

    @classmethod
    def from_session(cls, session: CustomerSession) -> Self:
        customer_out = CustomerOut.from_row(session.customer)
        return convert_struct(
            customer_out,
            cls,
            token=session.token,
            customer=customer_out,
            device_proof=session.device_proof,
        )


class CustomerCodeSent(msgspec.Struct):
    """A code was sent, if the recipient is known."""

    status: Annotated[str, Meta(examples=["ok"])]
    method: Literal["sms", "email"]
    expires_in: Annotated[int, Meta(description="Seconds.", examples=[300])]
    resend_after: Annotated[int, Meta(description="Seconds.", examples=[30])]

    @classmethod
    def from_timing(cls, timing: CodeTiming, method: Literal["sms", "email"]) -> Self:
        return cls("ok", method, timing.expires_in, timing.resend_after)


class CreationCodeIn(msgspec.Struct, kw_only=True):
    """The recipient of a code: `phone`, `email`, or `identity` as existing apps send it."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone | None = None
    email: Email | None = None
    identity: IdentityText | None = None
    mode: Annotated[str | None, Meta(description="`sms` or `email`, with `identity`.")] = None


class CustomerIn(msgspec.Struct, kw_only=True):
    """A new customer, with the code that was just requested."""

    accepts: ClassVar = ACCEPTED["customer"]
    name: Name
    code: CodeText
    phone: Phone | None = None
    email: Email | None = None
    identity: Annotated[
        IdentityText | None,
        Meta(
            description="The phone number or email address that received the code, if both "
            "are sent."
        ),
    ] = None
    password: Password | None = None
    meta: MetaObject | None = None


class SmsLoginIn(msgspec.Struct):
    """A request for a code by SMS."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone


class EmailLoginIn(msgspec.Struct):
    """A request for a code by email."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    email: Email


class VerifyCodeIn(msgspec.Struct, kw_only=True):
    """A code, and the identity that received it."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: IdentityText
    code: CodeText


class PasswordLoginIn(msgspec.Struct, kw_only=True):
    """An identity and its password."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: IdentityText
    password: Password


class CustomerChange(msgspec.Struct, kw_only=True):
    """Changes to the signed-in customer. A new phone or address must be verified first."""

    accepts: ClassVar = ACCEPTED["customer"]
    name: Given[Name] = UNSET
    phone: Clearable[
        Annotated[str, Meta(max_length=64, description="The current one. Verify a new one first.")]
    ] = UNSET
    email: Clearable[
        Annotated[str, Meta(max_length=254, description="The current one. Verify a new one first.")]
    ] = UNSET
    password: Given[Password] = UNSET
    current_password: Given[Password] = UNSET
    meta: Given[MetaObject] = UNSET


class PhoneIn(msgspec.Struct):
    """The new number, which receives the code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone


class EmailIn(msgspec.Struct):
    """The new address, which receives the code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    email: Email


class CodeIn(msgspec.Struct, kw_only=True):
    """A code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    code: CodeText


class PasswordIn(msgspec.Struct, kw_only=True):
    """The current password."""

    password: Password


class IdentityConfirmed(msgspec.Struct):
    """The customer's identity was confirmed. For some minutes, sign-in methods can be changed."""

    status: Annotated[str, Meta(examples=["ok"])]
    confirmed_until: Time


class LinkedProvider(msgspec.Struct, kw_only=True):
    """A provider that the customer can sign in with."""

    id: Annotated[UUID, Meta(description="Used to unlink the provider.")]
    provider: Provider
    email: Annotated[Email | None, Meta(description="As reported by the provider.")]
    created_at: Time
    last_used_at: Time

    @classmethod
    def from_row(cls, row: LinkedIdentity) -> Self:
        return to_schema(row, cls, id=row.uuid)


class ClosureIn(CodeIn, kw_only=True):
    """The code that confirms the closure."""

    reason: Annotated[str, Meta(max_length=2000, examples=["I moved away."])] | None = None


class AccountClosed(msgspec.Struct):
    """The account is closed."""

    status: Annotated[str, Meta(examples=["closed"])]
    closed_at: Time
    erase_at: Time
    erasure_at: Annotated[Time, former_name("erase_at")]


class DeviceIn(msgspec.Struct, kw_only=True):
    """A device for push messages."""

    platform: Platform
    token: PushToken
    app_version: AppVersion | None = None
    locale: DeviceLocale | None = None


class AnyDeviceIn(msgspec.Struct, kw_only=True):
    """A device for push messages. Older apps send the platform as `os`."""

    accepts: ClassVar = ACCEPTED["push device"]
    token: PushToken
    platform: Platform | None = None
    os: Platform | None = None
    app_version: AppVersion | None = None
    locale: DeviceLocale | None = None


class UnregisterDeviceIn(msgspec.Struct, kw_only=True):
    """A device that no longer receives push messages."""

    accepts: ClassVar = ACCEPTED["push device"]
    token: PushToken
    platform: Platform | None = None


class DeviceRegistered(msgspec.Struct):
    """The device now receives push messages."""

    status: Annotated[str, Meta(examples=["ok"])]
    device: Annotated[str, Meta(examples=["device_5tHk2VmW8xQb3NzC"])]


class ForgotIn(msgspec.Struct):
    """The identity whose password was forgotten."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: IdentityText


class ResetIn(msgspec.Struct, kw_only=True):
    """A new password, with the code that was sent."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: IdentityText
    code: CodeText
    password: Password


class Success(msgspec.Struct):
    """The request succeeded."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"


accept_response_fields(CustomerChange, CustomerOut)
