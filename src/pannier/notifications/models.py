"""The rows of notifications."""

from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from pannier.db.row import PublicRow

ChannelName = Literal["sms", "email", "push"]
MessageState = Literal["due", "sent", "drawer", "failed"]

NOT_KEPT: Final = "(not kept)"
NOT_SHOWN: Final = "(not shown)"


class NewsContext(msgspec.Struct, frozen=True, kw_only=True):
    """The order and the kind of news in a message, and the link to opt out."""

    kind: str
    order_id: str
    way_out: str


class MessageRow(PublicRow, kw_only=True):
    """A message to a recipient."""

    channel: ChannelName
    recipient: str
    subject: str
    body: str
    secret: bool
    state: MessageState
    due_at: datetime
    attempts: int = 0
    expires_at: datetime | None = None
    sent_at: datetime | None = None
    error: str | None = None
    sender: str = ""
    # The customer, if the recipient does not identify one.
    customer: UUID | None = None
    # For news: the kind, the order's public id, and the link to opt out.
    kind: str | None = None
    order_id: str | None = None
    way_out: str | None = None
    # The document that is attached to an email, by public id.
    attachment: str | None = None

    @property
    def visible_text(self) -> str:
        """The text that operators may read.

        A secret text is hidden until it is sent: a reader could sign in with the code before the
        recipient does.
        """
        return NOT_SHOWN if self.secret and self.state == "due" else self.body
