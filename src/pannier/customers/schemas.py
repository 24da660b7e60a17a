"""Customers in JSON."""

from typing import Annotated, Any, ClassVar, Literal, Self
from uuid import UUID

import msgspec
from msgspec import UNSET, Meta

from pannier.accounts.tokens.schemas import DeviceProof
from pannier.customers.models import Customer, Platform, Provider
from pannier.customers.models import Identity as LinkedIdentity
from pannier.customers.sessions import SignedIn
from pannier.kit.structs import remade
from pannier.kit.wording import MESSAGE
from pannier.verification.service import Requested
from pannier.web.ancestor import ACCEPTED, accept_answer
from pannier.web.fields import Clearable, Given
from pannier.web.people import Email, Name, Phone
from pannier.web.spelling import spelled
from pannier.web.times import Time

CustomerId = Annotated[str, Meta(max_length=100, examples=["customer_7wQn4ZcT1kXv9LsR"])]
Identity = Annotated[
    str, Meta(min_length=1, max_length=254, description="A phone or an e-mail address.",
              examples=["+6591234567"])
]  # fmt: skip
Code = Annotated[str, Meta(min_length=1, max_length=64, examples=["482913"])]
Password = Annotated[
    str, Meta(min_length=1, max_length=1024, examples=["a long sentence of my own"])
]
# No longer than an index takes, here and with the messages that go there.
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
Own = Annotated[
    dict[str, Any], Meta(description="Whatever the app wants to keep, up to 16 KiB.",
                         examples=[{"newsletter": True}])
]  # fmt: skip


class CustomerOut(msgspec.Struct, kw_only=True):
    """A customer."""

    id: CustomerId
    uuid: UUID
    public_id: str
    contact: Annotated[UUID, Meta(description="The contact as which orders name the customer.")]
    name: Name
    email: Email | None
    phone: Phone | None
    email_verified: bool
    phone_verified: bool
    meta: Own
    created_at: Time
    updated_at: Time

    @classmethod
    def of(cls, row: Customer) -> Self:
        """Spell a customer."""
        return spelled(
            row,
            cls,
            email_verified=row.email_verified_at is not None,
            phone_verified=row.phone_verified_at is not None,
        )


class CustomerSignedIn(CustomerOut, kw_only=True):
    """A signed-in customer: the token, the customer, and its fields where apps read them."""

    token: Annotated[str, Meta(description="Shown once.", examples=["cst_live_8sKf…"])]
    customer: CustomerOut
    device_proof: DeviceProof

    @classmethod
    def signed_in(cls, done: SignedIn) -> Self:
        """Spell a sign-in."""
        shown = CustomerOut.of(done.customer)
        return remade(shown, cls, token=done.text, customer=shown, device_proof=done.proof)


class CustomerCodeSent(msgspec.Struct):
    """A code is under way, if there is anybody to send it to."""

    status: Annotated[str, Meta(examples=["ok"])]
    method: Literal["sms", "email"]
    expires_in: Annotated[int, Meta(description="Seconds.", examples=[300])]
    resend_after: Annotated[int, Meta(description="Seconds.", examples=[30])]

    @classmethod
    def of(cls, requested: Requested, method: Literal["sms", "email"]) -> Self:
        """Spell what every caller is told."""
        return cls("ok", method, requested.expires_in, requested.resend_after)


class CreationCodeIn(msgspec.Struct, kw_only=True):
    """To whom a code goes: `phone`, `email`, or `identity` as existing apps send it."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone | None = None
    email: Email | None = None
    identity: Identity | None = None
    mode: Annotated[str | None, Meta(description="`sms` or `email`, beside `identity`.")] = None


class CustomerIn(msgspec.Struct, kw_only=True):
    """A new customer, with the code that was just requested."""

    accepts: ClassVar = ACCEPTED["customer"]
    name: Name
    code: Code
    phone: Phone | None = None
    email: Email | None = None
    identity: Annotated[
        Identity | None, Meta(description="Which of the two the code went to, if both are given.")
    ] = None
    password: Password | None = None
    meta: Own | None = None


class SmsLoginIn(msgspec.Struct):
    """A customer asks for a code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone


class EmailLoginIn(msgspec.Struct):
    """A customer asks for a code by e-mail."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    email: Email


class VerifyCodeIn(msgspec.Struct, kw_only=True):
    """The code, and the identity it went to."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: Identity
    code: Code


class PasswordLoginIn(msgspec.Struct, kw_only=True):
    """An identity and its password."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: Identity
    password: Password


class CustomerChange(msgspec.Struct, kw_only=True):
    """What customers change of themselves; addresses and phones are verified first."""

    accepts: ClassVar = ACCEPTED["customer"]
    name: Given[Name] = UNSET
    phone: Clearable[
        Annotated[str, Meta(max_length=64, description="As it is: a new one is verified first.")]
    ] = UNSET
    email: Clearable[
        Annotated[str, Meta(max_length=254, description="As it is: a new one is verified first.")]
    ] = UNSET
    password: Given[Password] = UNSET
    current_password: Given[Password] = UNSET
    meta: Given[Own] = UNSET


class PhoneIn(msgspec.Struct):
    """The new number, to which the code goes."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    phone: Phone


class EmailIn(msgspec.Struct):
    """The new address, to which the code goes."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    email: Email


class CodeIn(msgspec.Struct, kw_only=True):
    """A code."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    code: Code


class PasswordIn(msgspec.Struct, kw_only=True):
    """The present password."""

    password: Password


class Confirmed(msgspec.Struct):
    """It is certain who is signed in: for some minutes they may change what opens the account."""

    status: Annotated[str, Meta(examples=["ok"])]
    confirmed_until: Time


class LinkedProvider(msgspec.Struct, kw_only=True):
    """A provider whose sign-in leads to the customer."""

    id: Annotated[UUID, Meta(description="Names it when it is unlinked.")]
    provider: Provider
    email: Annotated[Email | None, Meta(description="As the provider told it.")]
    created_at: Time
    last_used_at: Time

    @classmethod
    def of(cls, row: LinkedIdentity) -> Self:
        """Spell a link."""
        return spelled(row, cls, id=row.uuid)


class ClosureIn(CodeIn, kw_only=True):
    """The code that confirms the closure."""

    reason: Annotated[str, Meta(max_length=2000, examples=["I moved away."])] | None = None


class Closed(msgspec.Struct):
    """The account is closed."""

    status: Annotated[str, Meta(examples=["closed"])]
    closed_at: Time
    erasure_at: Time


class DeviceIn(msgspec.Struct, kw_only=True):
    """A device that push messages reach."""

    platform: Platform
    token: PushToken
    app_version: AppVersion | None = None
    locale: DeviceLocale | None = None


class AnyDeviceIn(msgspec.Struct, kw_only=True):
    """The same, as older apps send it too: they call the platform `os`."""

    accepts: ClassVar = ACCEPTED["push device"]
    token: PushToken
    platform: Platform | None = None
    os: Platform | None = None
    app_version: AppVersion | None = None
    locale: DeviceLocale | None = None


class DeviceGone(msgspec.Struct, kw_only=True):
    """A device that push messages shall reach no more."""

    accepts: ClassVar = ACCEPTED["push device"]
    token: PushToken
    platform: Platform | None = None


class DeviceRegistered(msgspec.Struct):
    """Push messages reach the device from now on."""

    status: Annotated[str, Meta(examples=["ok"])]
    device: Annotated[str, Meta(examples=["device_5tHk2VmW8xQb3NzC"])]


class ForgotIn(msgspec.Struct):
    """Whose password is forgotten."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: Identity


class ResetIn(msgspec.Struct, kw_only=True):
    """A new password, with the code that was sent."""

    accepts: ClassVar = ACCEPTED["sign-in"]
    identity: Identity
    code: Code
    password: Password


class Done(msgspec.Struct):
    """It is done."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"


accept_answer(CustomerChange, CustomerOut)
