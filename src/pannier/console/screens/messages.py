"""Messages to people. Without a provider, messages are stored and not sent."""

from typing import Final

from pannier.console import columns, fields
from pannier.console.columns import Column
from pannier.console.forms import Field
from pannier.console.records import Records

CHANNELS: Final = (("sms", "SMS"), ("email", "Email"), ("push", "Push"))
STATES: Final = (
    ("due", "Queued"),
    ("sent", "Sent"),
    ("drawer", "Not sent"),
    ("failed", "Failed"),
)
MESSAGES: Final = Records(
    "/int/v1/messages",
    columns=(
        columns.TIME,
        Column("Status", "state", "standing"),
        Column("Channel", "channel", "words"),
        Column("To", "to", "link"),
        Column("Text", "text"),
        Column("Type", "kind", "words", wide=True),
        Column("Error", "error", wide=True),
    ),
    facts=(
        "state",
        "channel",
        Column("To", "to"),
        Column("Created", "created_at", "log_time"),
        Column("Sent", "sent_at", "log_time"),
        Column("Type", "kind", "words", quiet=True),
        Column("Order", "order", "link", to="orders", quiet=True),
        Column("Attempts", "attempts", "number"),
        Column("Error", "error", quiet=True),
    ),
    filters=(
        Field(name="to", label="Phone number or email"),
        fields.ORDER,
        Field(name="channel", label="Channel", kind="choice", options=CHANNELS),
        Field(name="state", label="Status", kind="choice", options=STATES),
        *fields.TIMES,
    ),
    title_path="to",
    empty="No messages yet. Codes, links and updates appear here.",
    record_template="messages/message.html",
    deletable=False,
)
handlers: Final = MESSAGES.make_handlers()
