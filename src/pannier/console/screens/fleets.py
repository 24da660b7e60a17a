"""Fleets: groups of drivers and vehicles."""

from typing import Any, Final

from litestar import Response

from pannier.console import columns, door, fields, lookup, render
from pannier.console.columns import Column
from pannier.console.desk import Desk
from pannier.console.forms import Field, Form, worded
from pannier.console.records import Records
from pannier.fleet.models import FleetStatus
from pannier.web.exchange import Exchange
from pannier.web.routes import post

ONE: Final = "/v1/fleets/{fleet_id}"
STATUSES: Final = worded(FleetStatus)
FORM: Final = Form(
    (
        fields.NAME,
        Field(name="task", label="Task", placeholder="Last mile"),
        fields.status(STATUSES),
        Field(name="parent_fleet", label="Parent fleet", kind="record", resource="fleets"),
    )
)
# The field that names a member, by the member's resource.
MEMBERS: Final = {
    "drivers": fields.DRIVER,
    "vehicles": fields.VEHICLE,
}


async def beside(desk: Desk, fleet: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load the members of a fleet."""
    asked = {"fleet": fleet["id"], "limit": "100"}
    members = {resource: await desk.rows(f"/v1/{resource}", asked) for resource in MEMBERS}
    return {"members": members, "fields": MEMBERS}


FLEETS: Final = Records(
    "/v1/fleets",
    columns=(
        columns.TITLE,
        Column("Task", "task"),
        columns.STATUS,
        Column("Parent fleet", "parent_fleet", "link", to="fleets", wide=True),
        columns.MADE,
    ),
    facts=(
        "task",
        "status",
        "parent_fleet",
        "created_at",
    ),
    filters=(
        Field(name="query", label="Name or task"),
        fields.status(STATUSES),
    ),
    form=FORM,
    reading="fleets/record.html",
    beside=beside,
    empty="No fleets yet. Create one to group drivers and vehicles.",
)


def _taking(resource: str, field: str) -> list[Any]:
    """Make the handlers that add and remove members of a kind."""

    @post(f"/fleets/{{identifier:str}}/{resource}", status_code=200, name=f"fleet_takes_{field}")
    async def take(exchange: Exchange, identifier: str) -> Response[bytes]:
        desk = Desk(exchange)
        sent = await lookup.resolve(desk, [MEMBERS[resource]], door.sent(exchange))
        body = {field: sent.get(field) or None}
        await desk.act("POST", f"{ONE}/{resource}", body, fleet_id=identifier)
        said = f"{field.capitalize()} added."
        return render.led(exchange, FLEETS.address(identifier), said=said)

    @post(
        f"/fleets/{{identifier:str}}/{resource}/{{member:str}}/remove",
        status_code=200,
        name=f"fleet_lets_{field}_go",
    )
    async def let_go(exchange: Exchange, identifier: str, member: str) -> Response[bytes]:
        named = {"fleet_id": identifier, f"{field}_id": member}
        await Desk(exchange).act("DELETE", f"{ONE}/{resource}/{{{field}_id}}", **named)
        said = f"{field.capitalize()} removed."
        return render.led(exchange, FLEETS.address(identifier), said=said)

    return [take, let_go]


handlers: Final = [
    *FLEETS.handlers(),
    *(made for resource, field in MEMBERS.items() for made in _taking(resource, field.name)),
]
