"""Devices: their vehicles, tokens, locations and latest events."""

from typing import Any, Final

from pannier.console import access_tokens, columns, fields, maps
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.forms import Field, Form, to_options
from pannier.console.record_names import load_record_names
from pannier.console.records import Records
from pannier.devices.models import Kind, Status

RECORD_PATH: Final = "/int/v1/devices/{device_id}"
TOKENS: Final = f"{RECORD_PATH}/tokens"
KINDS: Final = to_options(Kind)
FORM: Final = Form(
    (
        fields.NAME,
        Field(name="kind", label="Type", kind="choice", options=KINDS, nullable=False,
              default="tracker"),
        Field(name="identifier", label="Identifier",
              help="The device's own ID, such as an IMEI or a serial number."),
        Field(name="provider", label="Provider"),
        Field(name="reporting_interval", label="Reporting interval (seconds)", kind="number",
              nullable=False, help="Stale after two missed reports, offline after six."),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              only="new"),
        Field(name="driver", label="Driver", kind="record", resource="drivers",
              only="new", help="Phones only. The driver's location is taken from this device."),
        Field(name="adopts", label="Automatic device registration (gateways only)", kind="switch"),
        *fields.TEMPERATURE_LIMITS,
    )
)  # fmt: skip
ATTACH_FORM: Final = Form(
    (
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles", required=True),
        Field(name="since", label="Attached at", kind="moment", help="Defaults to now."),
    )
)
DETACH_FORM: Final = Form(
    (Field(name="until", label="Detached at", kind="moment", help="Defaults to now."),)
)
ROTATE_FORM: Final = Form(
    (
        Field(name="grace_seconds", label="Old token expires after (seconds)",
              kind="number", help="Defaults to one day. 0 expires it immediately."),
    )
)  # fmt: skip


async def load_related(client: ApiClient, device: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a device's attachments, tokens, latest events and location."""
    path_params = {"device_id": device["id"]}
    attachments = await client.list_rows(
        f"{RECORD_PATH}/attachments", {"limit": "20"}, **path_params
    )
    vehicles = await load_record_names(
        client, "vehicles", (attachment["vehicle"] for attachment in attachments.rows)
    )
    point = device["location"]
    features = [maps.point(device["id"], device["name"], point)] if point else []
    return {
        "attachments": attachments.rows,
        "vehicles": vehicles,
        **await access_tokens.load_tokens(client, TOKENS, **path_params),
        "readings": await _list_readings(client, device["id"]),
        "features": maps.collection(features),
    }


async def _list_readings(client: ApiClient, identifier: str) -> list[Any]:
    path = "/int/v1/fleet-module/devices/{device_id}/events"
    rows = (await client.list_rows(path, {"limit": "8"}, device_id=identifier)).rows
    return [{**row, "event_id": row["id"]} for row in rows]


DEVICES: Final = Records(
    "/int/v1/devices",
    columns=(
        columns.TITLE,
        columns.STATUS,
        Column("Last seen", "last_seen_at", "ago"),
        Column("Type", "kind", "words"),
        columns.VEHICLE,
        Column("Driver", "driver", "link", to="drivers", wide=True),
        Column("Identifier", "identifier", "mono", wide=True),
    ),
    facts=(
        "status",
        "last_seen_at",
        "kind",
        "vehicle",
        "driver",
        "identifier",
        Column("Provider", "provider"),
        Column("Reporting interval", "reporting_interval", "duration"),
        Column("Automatic device registration", "adopts", "switch"),
        *columns.TEMPERATURE_LIMITS,
        columns.CREATED,
    ),
    filters=(
        Field(name="query", label="Name or identifier"),
        fields.make_status_field(to_options(Status)),
        Field(name="kind", label="Type", kind="choice", options=KINDS),
        fields.VEHICLE,
    ),
    form=FORM,
    actions=(
        Action("attach", "Attach", "POST", f"{RECORD_PATH}/attach", "link", "Device attached.",
               form=ATTACH_FORM, condition=lambda device: not device["driver"]),
        Action("detach", "Detach", "POST", f"{RECORD_PATH}/detach", "unlink", "Device detached.",
               form=DETACH_FORM,
               condition=lambda device: device["vehicle"] and not device["driver"]),
        Action("rotate-token", "Rotate token", "POST", f"{RECORD_PATH}/rotate-token", "refresh-cw",
               "Token rotated.", form=ROTATE_FORM,
               condition=lambda device: not device["driver"]),
    ),
    record_template="devices/record.html",
    load_related=load_related,
    shown_once="token",
    empty="No devices yet. Add a tracker, phone or gateway and configure it with its token.",
)  # fmt: skip


handlers: Final = [
    *DEVICES.make_handlers(),
    access_tokens.make_end_handler(DEVICES, TOKENS, "token"),
]
