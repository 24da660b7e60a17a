"""The first steps of a new company, from its settings to its first order."""

from collections.abc import Collection
from typing import Any, Final, NamedTuple

from pannier.console.api_client import ApiClient
from pannier.console.basemap import has_streets
from pannier.errors import Conflict

SETTINGS_PATH: Final = "/int/v1/settings"
OPERATORS_PATH: Final = "/int/v1/operators"
SAMPLE_DATA_PATH: Final = "/int/v1/sample-data"
APP_LINK_PATH: Final = "/int/v1/drivers/{driver_id}/app-link"
MESSAGES_PATH: Final = "/int/v1/messages"
TEST_MESSAGE_URL: Final = "/console/messages/test"
# The drivers of whom one must have opened the app.
MAX_DRIVERS: Final = 5


class FirstStep(NamedTuple):
    """A step, and the page on which it is done."""

    label: str
    explanation: str
    url: str
    is_done: bool


class FirstSteps(NamedTuple):
    """The steps, and whether sample data can be added or removed."""

    steps: list[FirstStep]
    has_sample_data: bool
    can_add_sample_data: bool


async def load_first_steps(client: ApiClient) -> FirstSteps | None:
    """Load the steps for admins, who may do all of them, until an order has been completed.

    Sample data does not count as the company's own.
    """
    if not client.is_allowed("POST", OPERATORS_PATH):
        return None
    samples = (await client.get(SAMPLE_DATA_PATH))["records"]
    records = _OwnRecords(client, {sample["record"] for sample in samples})
    if await records.list_rows("/v1/orders", status="completed"):
        return None
    has_orders = bool(await records.list_rows("/v1/orders"))
    has_webhooks = bool(await records.list_rows("/int/v1/webhooks"))
    steps = [
        await _make_company_step(client),
        FirstStep(
            "Set up street maps and address search",
            "Until then, maps show countries and cities only.",
            "/docs/operate/maps",
            has_streets(client.exchange.edge.settings),
        ),
        FirstStep(
            "Save your first place",
            "Such as your depot, or a shop whose goods you pick up.",
            "/console/places/new",
            bool(await records.list_rows("/v1/places")),
        ),
        *await _make_driver_steps(client, records),
        await _make_message_step(client),
        FirstStep(
            "Set your prices",
            "Service rates give each order a price.",
            "/console/service-rates/new",
            bool(await records.list_rows("/int/v1/service-rates")),
        ),
        FirstStep(
            "Create your first order",
            "Choose the driver and dispatch it. The driver completes it in the app.",
            "/console/orders/new",
            has_orders,
        ),
        FirstStep(
            "Connect your software",
            "A webhook tells it about each event. You can skip this step.",
            "/console/webhooks/new",
            has_webhooks,
        ),
    ]
    return FirstSteps(steps, bool(samples), not (samples or has_orders or has_webhooks))


class _OwnRecords(NamedTuple):
    """The company's records without the sample data."""

    client: ApiClient
    sample_ids: Collection[str]

    async def list_rows(self, path: str, limit: int = 1, **filters: str) -> list[Any]:
        """List the newest records, or less."""
        query = {"limit": str(len(self.sample_ids) + limit), **filters}
        rows = (await self.client.list_rows(path, query)).rows
        return [row for row in rows if row["id"] not in self.sample_ids][:limit]


async def _make_company_step(client: ApiClient) -> FirstStep:
    settings = await client.get(SETTINGS_PATH)
    return FirstStep(
        "Set the country, time zone and currency",
        "Phone numbers, times and prices depend on them.",
        "/console/settings#company",
        "time_zone" in settings["given"] and settings["currency"] is not None,
    )


async def _make_driver_steps(client: ApiClient, records: _OwnRecords) -> list[FirstStep]:
    """Make the steps of the first driver, and of the app on the driver's phone."""
    drivers = await records.list_rows("/v1/drivers", MAX_DRIVERS)
    return [
        FirstStep(
            "Add a driver",
            "With the number of the phone that the driver uses.",
            "/console/drivers/new",
            bool(drivers),
        ),
        FirstStep(
            "Open the driver app on the driver's phone",
            "The driver's page has a link and a QR code.",
            f"/console/drivers/{drivers[-1]['id']}#app-title" if drivers else "/console/drivers",
            await _has_opened_app(client, drivers),
        ),
    ]


async def _has_opened_app(client: ApiClient, drivers: list[Any]) -> bool:
    """Return whether one of the drivers has opened the app."""
    try:
        for driver in drivers:
            if (await client.get(APP_LINK_PATH, driver_id=driver["id"]))["last_opened_at"]:
                return True
    except Conflict:
        # The company has no app key yet.
        return False
    return False


async def _make_message_step(client: ApiClient) -> FirstStep:
    """Make the step of the providers, and then that of a test message."""
    if list_missing_providers(client):
        return FirstStep(
            "Set up text messages and email",
            "Until then, codes and notifications are listed under Messages and not sent.",
            "/docs/operate/messages",
            is_done=False,
        )
    return FirstStep(
        "Send yourself a test message",
        "By SMS or email, to see that messages reach your customers.",
        TEST_MESSAGE_URL,
        bool((await client.list_rows(MESSAGES_PATH, {"limit": "1", "state": "sent"})).rows),
    )


def list_missing_providers(client: ApiClient) -> list[str]:
    """Name the channels for which this installation has no provider."""
    settings = client.exchange.edge.settings
    urls = {"text messages": settings.sms_url, "email": settings.email_url}
    return [channel for channel, url in urls.items() if not url]
