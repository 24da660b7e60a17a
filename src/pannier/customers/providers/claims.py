"""A provider's claim about a person, and how well it is proved."""

from datetime import datetime
from typing import Any, Literal

import msgspec

from pannier.customers.models import Provider

# Proved by a token; announced, so a code must follow; or trusted without proof.
Assurance = Literal["proved", "announced", "trusted"]


class ProviderClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A provider's claim about a person."""

    provider: Provider
    subject: str
    name: str | None = None
    email: str | None = None
    # Whether the provider vouches for the address: only then can it identify an account.
    email_verified: bool = False
    # Whether the provider generated the address: it identifies no other account.
    email_private: bool = False

    @property
    def subject_columns(self) -> dict[str, Any]:
        """The columns that identify the subject."""
        return {"provider": self.provider, "subject": self.subject}


class UsedToken(msgspec.Struct, frozen=True):
    """The hash of a one-time token, and when the token expires."""

    hash: bytes
    expires_at: datetime


class ProvenClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim, how well it is proved, and the token that proved it."""

    claim: ProviderClaim
    assurance: Assurance = "proved"
    used_token: UsedToken | None = None
    # The grant with which the provider revokes the sign-in.
    grant: str | None = None
