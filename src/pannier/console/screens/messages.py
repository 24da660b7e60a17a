"""Messages: what was said to people, and the drawer, where it stays when nobody carries it."""

from typing import Final

from pannier.console import columns, fields
from pannier.console.columns import Column
from pannier.console.forms import Field
from pannier.console.records import Records

CHANNELS: Final = (("sms", "SMS"), ("email", "E-mail"), ("push", "Push"))
STATES: Final = (
    ("due", "Due"),
    ("sent", "Sent"),
    ("drawer", "In the drawer"),
    ("failed", "Failed"),
)
MESSAGES: Final = Records(
    "/int/v1/messages",
    columns=(
        columns.WHEN,
        Column("State", "state", "standing"),
        Column("By", "channel"),
        Column("To", "to", "link"),
        Column("Text", "text"),
        Column("Tells", "kind", wide=True),
        Column("Wrong", "error", wide=True),
    ),
    facts=(
        "state",
        "channel",
        Column("To", "to"),
        Column("Written", "created_at", "time"),
        Column("Sent", "sent_at", "time"),
        Column("Tells", "kind", quiet=True),
        Column("Order", "order", quiet=True),
        Column("Attempts", "attempts", "number"),
        Column("What was wrong", "error", quiet=True),
    ),
    filters=(
        Field(name="to", label="To: number or address"),
        fields.ORDER,
        Field(name="channel", label="By", kind="choice", options=CHANNELS),
        Field(name="state", label="State", kind="choice", options=STATES),
        *fields.TIMES,
    ),
    titled="to",
    empty="Nothing was said to anybody yet. Codes, links and news appear here.",
    reading="messages/message.html",
    deletes=False,
)
handlers: Final = MESSAGES.handlers()
