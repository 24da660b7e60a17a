"""The audit log: changes, their actors, and the values before and after."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from pannier.console import columns, fields
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.formatting import EMPTY_VALUE, format_json
from pannier.console.forms import Field
from pannier.console.record_kinds import KINDS
from pannier.console.record_names import load_names
from pannier.console.record_urls import shorten_id
from pannier.console.records import Records


def format_audited_value(value: Any, names: Mapping[str, str]) -> str:  # noqa: ANN401 - any JSON
    """Format a field's value before or after a change. Records are shown by name."""
    if value is None or value == "":
        return EMPTY_VALUE
    if isinstance(value, str):
        return names.get(value) or shorten_id(value)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return ", ".join(names.get(item) or shorten_id(item) for item in value) or EMPTY_VALUE
    return format_json(value)


async def _load_related(client: ApiClient, entry: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the names of the records that were values before or after the change."""
    values = [*entry["before"].values(), *entry["after"].values()]
    return {"diff": partial(format_audited_value, names=await load_names(client, values))}


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
        Column("Actor ID", "actor", "copy"),
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
