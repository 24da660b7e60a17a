"""Credentials as text: `<kind>_<live|test>_<id>_<secret>`. Only a hash is stored."""

from typing import Final, Literal, NamedTuple

from pannier.kit import crypto, ids

Mode = Literal["live", "test"]

MODES: Final = ("live", "test")
ID_LENGTH: Final = 16
SECRET_LENGTH: Final = 43  # 256 bits
_PARTS: Final = 4


class NewCredential(NamedTuple):
    """A new credential: the text to show once, and the id and hash to store."""

    text: str
    id: str
    hash: bytes


class PresentedCredential(NamedTuple):
    """A credential that a client sent."""

    kind: str
    mode: str
    id: str
    hash: bytes


def mint(kind: str, mode: Mode) -> NewCredential:
    """Create a credential with a random id and secret."""
    identifier, secret = ids.random_text(ID_LENGTH), ids.random_text(SECRET_LENGTH)
    return NewCredential(f"{kind}_{mode}_{identifier}_{secret}", identifier, crypto.digest(secret))


def parse(text: str) -> PresentedCredential | None:
    """Parse a credential; return None if it has another format."""
    parts = text.split("_")
    if len(parts) != _PARTS or parts[1] not in MODES or len(text) > 128:  # noqa: PLR2004 - ours have 75 characters
        return None
    kind, mode, identifier, secret = parts
    return PresentedCredential(kind, mode, identifier, crypto.digest(secret))


def kind(text: str) -> str:
    """Return the kind in a credential's prefix, without verifying the credential."""
    return text.partition("_")[0]
