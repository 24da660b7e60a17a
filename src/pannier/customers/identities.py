"""Identities: a phone number or an email address, in normal form."""

from typing import Literal, NamedTuple

from pannier.errors import FieldError, Invalid, parse_field
from pannier.kit import email, phone

IdentityKind = Literal["phone", "email"]
CodeDelivery = Literal["sms", "email"]


class PhoneOrEmail(NamedTuple):
    """An identity: its kind, its text, and the key by which it is compared."""

    kind: IdentityKind
    text: str
    key: str

    @property
    def channel(self) -> CodeDelivery:
        """The channel for codes."""
        return "sms" if self.kind == "phone" else "email"


def from_phone(text: str, path: str = "phone") -> PhoneOrEmail:
    """Parse a phone number with its country code, with or without the plus."""
    number = parse_field(path, phone.normalise_international, text)
    return PhoneOrEmail("phone", number, number)


def from_email(text: str, path: str = "email") -> PhoneOrEmail:
    address = parse_field(path, email.normalise, text)
    return PhoneOrEmail("email", address, email.key(address))


def from_kind(kind: IdentityKind, text: str) -> PhoneOrEmail:
    """Parse an identity of a known kind."""
    return from_phone(text) if kind == "phone" else from_email(text)


def parse(text: str, path: str = "identity") -> PhoneOrEmail:
    """Parse a phone number or an email address."""
    return from_email(text, path) if "@" in text else from_phone(text, path)


def from_fields(
    phone_text: str | None, email_text: str | None, identity: str | None
) -> PhoneOrEmail:
    """Parse the identity from the first field of a body that has one: phone, email, identity."""
    if phone_text:
        return from_phone(phone_text)
    if email_text:
        return from_email(email_text)
    if identity:
        return parse(identity)
    raise Invalid(fields=[FieldError("phone", "Send a `phone` or an `email`.")])
