"""Identities: a phone or an e-mail address, in the one form that is compared."""

from typing import Literal, NamedTuple

from pannier.errors import Field, Invalid, checked
from pannier.kit import email, phone

Kind = Literal["phone", "email"]
Channel = Literal["sms", "email"]


class Named(NamedTuple):
    """An identity: what it is, how it is written, and what it is compared by."""

    kind: Kind
    text: str
    key: str

    @property
    def channel(self) -> Channel:
        """How a code reaches it."""
        return "sms" if self.kind == "phone" else "email"


def of_phone(text: str, path: str = "phone") -> Named:
    """Read a phone as shops have it: with its country code, whether or not with the plus."""
    number = checked(path, phone.with_plus, text)
    return Named("phone", number, number)


def of_email(text: str, path: str = "email") -> Named:
    """Read an e-mail address."""
    address = checked(path, email.normalise, text)
    return Named("email", address, email.key(address))


def of(kind: Kind, text: str) -> Named:
    """Read an identity of which it is known what it is."""
    return of_phone(text) if kind == "phone" else of_email(text)


def read(text: str, path: str = "identity") -> Named:
    """Read whichever of the two somebody typed."""
    return of_email(text, path) if "@" in text else of_phone(text, path)


def one_of(phone_text: str | None, email_text: str | None, identity: str | None) -> Named:
    """Read the identity that a body names, in any of its fields; a phone before an address."""
    if phone_text:
        return of_phone(phone_text)
    if email_text:
        return of_email(email_text)
    if identity:
        return read(identity)
    raise Invalid(fields=[Field("phone", "Send a `phone` or an `email`.")])
