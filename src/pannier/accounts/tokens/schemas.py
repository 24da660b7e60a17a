"""Tokens in JSON."""

from typing import Annotated, Self
from uuid import UUID

import msgspec
from msgspec import Meta

from pannier.accounts.tokens.models import Token
from pannier.db import PageIn
from pannier.web.serialization import to_schema
from pannier.web.times import Time

DeviceProof = Annotated[
    str,
    Meta(
        description="Keep it, and send it as `Device-Proof` at the next sign-in. Attempts by "
        "strangers then do not count against this device. It grants no access.",
        examples=["dpf_4QsT9kXv7LsR2wNc_0f3a9c…"],
    ),
]


class SessionOut(msgspec.Struct, kw_only=True):
    """One session."""

    id: Annotated[str, Meta(examples=["session_8KfR2yLq0VbN6wTd"])]
    method: Annotated[str, Meta(description="How the person signed in.", examples=["sms"])]
    user_agent: str
    address: Annotated[str, Meta(description="The network it came from.")]
    current: Annotated[bool, Meta(description="Whether this request uses the session.")]
    created_at: Time
    last_used_at: Annotated[
        Time, Meta(description="Accurate to a minute; for devices, to 15 minutes.")
    ]
    expires_at: Annotated[
        Time | None, Meta(description="Time of expiry, even if the session is in use.")
    ]
    revoked_at: Time | None
    revoked_by: Annotated[
        str | None, Meta(description="The actor that ended the session.", examples=["logout"])
    ]

    @classmethod
    def from_row(cls, row: Token, current: UUID | None = None) -> Self:
        return to_schema(row, cls, current=row.uuid == current)


class SessionFilters(PageIn, frozen=True, kw_only=True):
    """Filters of a list of sessions."""

    ended: Annotated[
        bool,
        Meta(
            description="List sessions that ended within the last 30 days, instead of active ones."
        ),
    ] = False


class SessionEnded(msgspec.Struct):
    """The session has ended."""

    status: Annotated[str, Meta(examples=["ok"])] = "ok"
