"""The rows of notifications."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow

ChannelName = Literal["sms", "email", "push"]
State = Literal["due", "sent", "drawer", "failed"]

NOT_KEPT: Final = "(not kept)"
NOT_SHOWN: Final = "(not shown)"


class About(msgspec.Struct, frozen=True, kw_only=True):
    """What a message tells of: news of an order, which the recipient may have no more of."""

    kind: str
    order_id: str
    way_out: str


class Message(PublicRow, kw_only=True):
    """Something to be said to somebody."""

    channel: ChannelName
    recipient: str
    subject: str
    body: str
    secret: bool
    state: State
    due_at: datetime
    attempts: int = 0
    expires_at: datetime | None = None
    sent_at: datetime | None = None
    error: str | None = None
    sender: str = ""
    # The customer whom it is for, where the recipient alone does not tell.
    customer: UUID | None = None
    # Of news: what is told, of which order by public id, and where the recipient has no more.
    kind: str | None = None
    order_id: str | None = None
    way_out: str | None = None

    @property
    def shown(self) -> str:
        """The text that operators may read.

        A secret that is still on its way is hidden: whoever reads a code before its owner
        could sign in as the owner.
        """
        return NOT_SHOWN if self.secret and self.state == "due" else self.body
