"""Identities: a phone number or an email address, in normal form."""

from typing import Literal, NamedTuple

from pannier.errors import Field, Invalid, checked
from pannier.kit import email, phone

Kind = Literal["phone", "email"]
Channel = Literal["sms", "email"]


class Named(NamedTuple):
    """An identity: its kind, its text, and the key by which it is compared."""

    kind: Kind
    text: str
    key: str

    @property
    def channel(self) -> Channel:
        """The channel for codes."""
        return "sms" if self.kind == "phone" else "email"


def of_phone(text: str, path: str = "phone") -> Named:
    """Parse a phone number with its country code, with or without the plus."""
    number = checked(path, phone.with_plus, text)
    return Named("phone", number, number)


def of_email(text: str, path: str = "email") -> Named:
    address = checked(path, email.normalise, text)
    return Named("email", address, email.key(address))


def of(kind: Kind, text: str) -> Named:
    """Parse an identity of a known kind."""
    return of_phone(text) if kind == "phone" else of_email(text)


def read(text: str, path: str = "identity") -> Named:
    """Parse a phone number or an email address, whichever the text is."""
    return of_email(text, path) if "@" in text else of_phone(text, path)


def one_of(phone_text: str | None, email_text: str | None, identity: str | None) -> Named:
    """Parse the identity from whichever field of a body has it; phone first."""
    if phone_text:
        return of_phone(phone_text)
    if email_text:
        return of_email(email_text)
    if identity:
        return read(identity)
    raise Invalid(fields=[Field("phone", "Send a `phone` or an `email`.")])
