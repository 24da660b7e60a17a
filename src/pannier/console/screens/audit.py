"""The audit log: changes, their actors, and the values before and after."""

from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.formatting import EMPTY_VALUE, format_json
from pannier.console.forms import Field
from pannier.console.record_kinds import KINDS
from pannier.console.records import Records


def format_audited_value(value: Any) -> str:  # noqa: ANN401 - any JSON
    """Format a field's value before or after a change."""
    if value is None or value == "":
        return EMPTY_VALUE
    return value if isinstance(value, str) else format_json(value)


async def _load_related(_: ApiClient, __: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    return {"diff": format_audited_value}


AUDIT: Final = Records(
    "/int/v1/audit",
    noun="entry",
    name="audit_id",
    columns=(
        columns.TIME,
        Column("Action", "action", "link"),
        Column("Subject", "subject", "id"),
        Column("Actor", "actor_name", "actor"),
        Column("IP address", "address", "mono", wide=True),
    ),
    facts=(
        "created_at",
        "actor_name",
        Column("Actor ID", "actor", "mono"),
        Column("Action", "action", "mono"),
        "subject",
        Column("IP address", "address", "mono", quiet=True),
        Column("Request ID", "request_id", "mono", quiet=True),
    ),
    filters=(
        Field(
            name="subject",
            label="Subject",
            kind="record",
            resource=" ".join(KINDS),
            placeholder="Name, number or ID",
        ),
        Field(name="action", label="Action", placeholder="Action, such as webhook.changed"),
        Field(
            name="actor",
            label="Actor",
            kind="record",
            resource="operators keys drivers",
            placeholder="Operator, key, driver or ID",
        ),
        *fields.TIMES,
    ),
    title_path="action",
    empty="No changes recorded yet.",
    record_template="audit/entry.html",
    load_related=_load_related,
    deletable=False,
)
handlers: Final = AUDIT.make_handlers()
