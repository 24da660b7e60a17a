"""Drivers: their locations, orders, issues and sessions."""

from datetime import date
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import (
    access_tokens,
    columns,
    conversations,
    fields,
    fleet_data,
    maps,
    responses,
    session,
    shifts,
)
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.columns import Column
from pannier.console.costs import CURRENCY, CostForm, CostRecords
from pannier.console.forms import Field, to_options
from pannier.console.records import load_zone
from pannier.console.screens.keys import render_qr
from pannier.errors import Conflict
from pannier.fleet.models import DriverStatus
from pannier.web.exchange import Exchange
from pannier.web.routes import post

STATUSES: Final = to_options(DriverStatus)
TOKENS: Final = "/int/v1/drivers/{driver_id}/tokens"
APP_LINK: Final = "/int/v1/drivers/{driver_id}/app-link"
SEND_APP_LINK: Final = "/int/v1/drivers/{driver_id}/send-app-link"
PRESENCE: Final = "/v1/drivers/{driver_id}/toggle-online"
FORM: Final = CostForm(
    (
        fields.NAME,
        Field(
            name="phone", label="Phone", kind="tel", required=True, nullable=False,
            help="Include the country code, such as +65. The driver signs in with this number.",
        ),
        fields.EMAIL,
        fields.make_status_field(STATUSES, "available"),
        Field(name="vehicle", label="Vehicle", kind="record", resource="vehicles",
              help="Type a plate to search. A vehicle has one driver at a time."),
        Field(name="drivers_license_number", label="License number"),
        Field(name="license_expiry", label="License expiry", kind="day"),
        Field(name="city", label="City"),
        fields.COUNTRY,
        Field(name="skills", label="Skills", kind="list",
              help="One per line, such as cold chain. Orders can require them."),
        Field(name="start_place", label="Route start", kind="record", resource="places",
              help="Where the driver's planned routes start."),
        Field(name="end_place", label="Route end", kind="record", resource="places"),
        Field(name="cost_per_hour", label="Cost per hour", kind="money"),
        CURRENCY,
        fields.INTERNAL_ID,
    ),
    cost="cost_per_hour",
)  # fmt: skip


async def load_related(client: ApiClient, driver: Any) -> dict[str, Any]:  # noqa: ANN401 - JSON
    """Load a driver's location, the vehicle's day, today's orders, and the sessions."""
    identifier, vehicle = driver["id"], driver["vehicle"]
    day = await fleet_data.load_day(client, vehicle) if vehicle else None
    unit = await fleet_data.find_position(client, vehicle or identifier)
    lines = maps.make_trip_lines(day.trips) if day else [await _load_trail(client, identifier)]
    return {
        "unit": unit,
        "day": day,
        "features": fleet_data.to_features(driver, unit, lines),
        "devices": await fleet_data.list_devices(client, "driver", identifier),
        "orders": await _list_orders(client, identifier),
        "issues": await fleet_data.list_open_issues(client, "driver", identifier),
        "conversation": await conversations.load_conversation(client, "driver", identifier),
        "app": await _load_app_card(client, identifier),
        "weekly": shifts.describe_shifts(driver["shifts"]),
        "exceptions": list(
            shifts.describe_exceptions(driver["shift_exceptions"], await _load_today(client))
        ),
        **await access_tokens.load_tokens(client, TOKENS, driver_id=identifier),
    }


class AppCard(NamedTuple):
    """The link to the driver app. It is empty if the company has no app key."""

    link: str = ""
    picture: str = ""
    # Browsers need HTTPS for cameras, positions and installation.
    secure: bool = True
    last_opened_at: str | None = None
    # The code that signs in a test number.
    test_code: str | None = None


async def _load_app_card(client: ApiClient, driver: str) -> AppCard | None:
    """Load the app link if the operator may share it."""
    if not client.is_allowed("GET", APP_LINK):
        return None
    try:
        app = await client.get(APP_LINK, driver_id=driver)
    except Conflict:
        # The company has no app key yet.
        return AppCard()
    link = app["link"]
    return AppCard(
        link, render_qr(link), link.startswith("https:"), app["last_opened_at"], app["test_code"]
    )


@post("/drivers/{identifier:str}/send-app-link", status_code=200)
async def send_app_link(exchange: Exchange, identifier: str) -> Response[bytes]:
    body = {"channel": session.read_form(exchange).get("channel", "")}
    link = await ApiClient(exchange).send("POST", SEND_APP_LINK, body, driver_id=identifier)
    message = f"App link sent to {link['sent_to']}."
    return responses.redirect_with_flash(exchange, DRIVERS.record_url(identifier), message=message)


@post("/drivers/{identifier:str}/app-key", status_code=200)
async def create_app_key(exchange: Exchange, identifier: str) -> Response[bytes]:
    """Create the company's app key if there is none."""
    client = ApiClient(exchange)
    await client.get("/v1/drivers/{driver_id}", driver_id=identifier)
    await client.send("POST", "/int/v1/keys", {"kind": "app", "name": "Driver app key"})
    return responses.redirect_with_flash(
        exchange, DRIVERS.record_url(identifier), message="App key created."
    )


async def _load_today(client: ApiClient) -> date:
    """Return today's date in the company's time zone."""
    return client.exchange.db.now.astimezone(await load_zone(client)).date()


async def _list_orders(client: ApiClient, driver: str) -> list[Any]:
    """List a driver's active orders, and the other orders of today."""
    today = (await _load_today(client)).isoformat()
    queries = ({"active": "true"}, {"on": today})
    rows = [
        row
        for query in queries
        for row in (
            await client.list_rows("/v1/orders", {"driver": driver, "limit": "20", **query})
        ).rows
    ]
    return list({row["id"]: row for row in rows}.values())


async def _load_trail(client: ApiClient, driver: str) -> Any:  # noqa: ANN401 - JSON
    """Load the latest positions of a driver without a vehicle."""
    template = "/v1/drivers/{driver_id}/positions"
    rows = (await client.list_rows(template, {"limit": "100"}, driver_id=driver)).rows
    path = [row["location"]["coordinates"] for row in reversed(rows)]
    return maps.line(f"{driver}-trail", "", path)


DRIVERS: Final = CostRecords(
    "/v1/drivers",
    columns=(
        columns.TITLE,
        columns.PHONE,
        columns.STATUS,
        Column("Online", "online", "switch"),
        columns.VEHICLE,
        columns.LAST_SEEN,
        Column("City", "city", wide=True),
        Column("Internal ID", "internal_id", "mono", wide=True),
    ),
    facts=(
        "status",
        "online",
        "phone",
        columns.EMAIL,
        "vehicle",
        columns.FLEETS,
        Column("License number", "drivers_license_number", "mono"),
        Column("License expiry", "license_expiry"),
        "city",
        Column("Country", "country"),
        Column("Skills", "skills", "list"),
        Column("Route start", "start_place", "link", to="places", quiet=True),
        Column("Route end", "end_place", "link", to="places", quiet=True),
        Column("Cost per hour", "cost_per_hour", "money", to="currency", quiet=True),
        "internal_id",
    ),
    filters=(
        Field(name="query", label="Name, phone or email"),
        fields.make_status_field(STATUSES),
        Field(name="online", label="Online", kind="choice",
              options=(("true", "Yes"), ("false", "No"))),
        fields.FLEET,
    ),
    form=FORM,
    actions=(
        Action("bring-online", "Set online", "POST", PRESENCE, "radio", "Driver is online.",
               body={"online": True}, condition=lambda driver: not driver["online"]),
        Action("take-offline", "Set offline", "POST", PRESENCE, "wifi-off",
               "Driver is offline.", body={"online": False},
               condition=lambda driver: driver["online"]),
    ),
    record_template="drivers/record.html",
    load_related=load_related,
    live_events="driver.",
    empty="No drivers yet. Add a driver with a name and a phone number to sign in with.",
)  # fmt: skip


handlers: Final = [
    *DRIVERS.make_handlers(),
    access_tokens.make_end_handler(DRIVERS, TOKENS),
    send_app_link,
    create_app_key,
]
