"""Fleets: groups of drivers and vehicles."""

from typing import Any, Final

from litestar import Response

from pannier.console import columns, fields, lookup, responses, session
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.records import Records
from pannier.fleet.models import FleetStatus
from pannier.web.exchange import Exchange
from pannier.web.routes import post

RECORD_PATH: Final = "/v1/fleets/{fleet_id}"
STATUSES: Final = to_options(FleetStatus)
FORM: Final = Form(
    (
        fields.NAME,
        Field(name="task", label="Task", placeholder="Last mile"),
        fields.make_status_field(STATUSES),
        Field(name="parent_fleet", label="Parent fleet", kind="record", resource="fleets"),
    )
)
# The form field of a member, by the member's resource.
MEMBER_FIELDS: Final = {
    "drivers": fields.DRIVER,
    "vehicles": fields.VEHICLE,
}


async def load_related(client: ApiClient, fleet: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the members of a fleet."""
    query = {"fleet": fleet["id"], "limit": "100"}
    members = {
        resource: await client.list_rows(f"/v1/{resource}", query) for resource in MEMBER_FIELDS
    }
    return {"members": members, "fields": MEMBER_FIELDS}


FLEETS: Final = Records(
    "/v1/fleets",
    columns=(
        columns.TITLE,
        Column("Task", "task"),
        columns.STATUS,
        Column("Parent fleet", "parent_fleet", "link", to="fleets", wide=True),
        columns.CREATED,
    ),
    facts=(
        "task",
        "status",
        "parent_fleet",
        "created_at",
    ),
    filters=(
        Field(name="query", label="Name or task"),
        fields.make_status_field(STATUSES),
    ),
    form=FORM,
    record_template="fleets/record.html",
    load_related=load_related,
    empty="No fleets yet. Create one to group drivers and vehicles.",
)


def _make_member_handlers(resource: str, field: str) -> list[Any]:
    """Make the handlers that add and remove drivers or vehicles."""

    @post(f"/fleets/{{identifier:str}}/{resource}", status_code=200, name=f"add_fleet_{field}")
    async def add_member(exchange: Exchange, identifier: str) -> Response[bytes]:
        client = ApiClient(exchange)
        form_data = await lookup.resolve_form(
            client, [MEMBER_FIELDS[resource]], session.read_form(exchange)
        )
        body = {field: form_data.get(field) or None}
        await client.send("POST", f"{RECORD_PATH}/{resource}", body, fleet_id=identifier)
        message = f"{field.capitalize()} added."
        return responses.redirect_with_flash(
            exchange, FLEETS.record_url(identifier), message=message
        )

    @post(
        f"/fleets/{{identifier:str}}/{resource}/{{member:str}}/remove",
        status_code=200,
        name=f"remove_fleet_{field}",
    )
    async def remove_member(exchange: Exchange, identifier: str, member: str) -> Response[bytes]:
        path_params = {"fleet_id": identifier, f"{field}_id": member}
        await ApiClient(exchange).send(
            "DELETE", f"{RECORD_PATH}/{resource}/{{{field}_id}}", **path_params
        )
        message = f"{field.capitalize()} removed."
        return responses.redirect_with_flash(
            exchange, FLEETS.record_url(identifier), message=message
        )

    return [add_member, remove_member]


handlers: Final = [
    *FLEETS.make_handlers(),
    *(
        handler
        for resource, field in MEMBER_FIELDS.items()
        for handler in _make_member_handlers(resource, field.name)
    ),
]
