"""The audit log: who changed what, from what to what."""

from typing import Any, Final

from pannier.console import columns, fields, lookup
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field
from pannier.console.records import Records
from pannier.console.words import NOTHING, pretty


def diff(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Spell a value of a field, before or after."""
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
        Column("What", "action", "link"),
        Column("About", "subject", "id"),
        Column("Who", "actor_name"),
        Column("As", "actor_type", wide=True),
        Column("From", "address", "mono", wide=True),
    ),
    facts=(
        "created_at",
        "actor_name",
        "actor_type",
        Column("By id", "actor", "id"),
        Column("What", "action", "mono"),
        "subject",
        "address",
        Column("Request", "request_id", "mono"),
    ),
    filters=(
        Field(
            name="subject",
            label="Subject",
            kind="record",
            resource=" ".join(lookup.KINDS),
            placeholder="Name, number or id",
        ),
        Field(name="action", label="What: webhook.changed", placeholder="What: webhook.changed"),
        Field(
            name="actor",
            label="Actor",
            kind="record",
            resource="operators keys drivers",
            placeholder="Operator, key, driver or id",
        ),
        *fields.TIMES,
    ),
    titled="action",
    empty="Nothing was changed yet.",
    reading="audit/entry.html",
    beside=_beside,
    deletes=False,
)
handlers: Final = AUDIT.handlers()
