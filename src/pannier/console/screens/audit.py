"""The audit log: changes, their actors, and the values before and after."""

from typing import Any, Final

from pannier.console import columns, fields, lookup
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field
from pannier.console.records import Records
from pannier.console.words import NOTHING, pretty


def diff(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Format a field's value before or after a change."""
    if value is None or value == "":
        return NOTHING
    return value if isinstance(value, str) else pretty(value)


async def _beside(_: Desk, __: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"diff": diff}


AUDIT: Final = Records(
    "/int/v1/audit",
    noun="entry",
    name="audit_id",
    columns=(
        columns.WHEN,
        Column("Action", "action", "link"),
        Column("Subject", "subject", "id"),
        Column("Actor", "actor_name", "actor"),
        Column("IP address", "address", "mono", wide=True),
    ),
    facts=(
        "created_at",
        "actor_name",
        Column("Actor ID", "actor", "id"),
        Column("Action", "action", "mono"),
        "subject",
        "address",
        Column("Request ID", "request_id", "mono"),
    ),
    filters=(
        Field(
            name="subject",
            label="Subject",
            kind="record",
            resource=" ".join(lookup.KINDS),
            placeholder="Subject: name, number or ID",
        ),
        Field(name="action", label="Action", placeholder="Action: webhook.changed"),
        Field(
            name="actor",
            label="Actor",
            kind="record",
            resource="operators keys drivers",
            placeholder="Operator, key, driver or ID",
        ),
        *fields.TIMES,
    ),
    titled="action",
    empty="No changes recorded yet.",
    reading="audit/entry.html",
    beside=_beside,
    deletes=False,
)
handlers: Final = AUDIT.handlers()
