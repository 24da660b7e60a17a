"""The first steps of a new company, from its settings to its first order."""

from typing import Final, NamedTuple

from pannier.console.api_client import ApiClient

SETTINGS_PATH: Final = "/int/v1/settings"
OPERATORS_PATH: Final = "/int/v1/operators"
MESSAGES_PATH: Final = "/int/v1/messages"
TEST_MESSAGE_URL: Final = "/console/messages/test"


class FirstStep(NamedTuple):
    """A step, and the page on which it is done."""

    label: str
    explanation: str
    url: str
    is_done: bool


async def list_first_steps(client: ApiClient) -> list[FirstStep]:
    """List the steps for admins, who may do all of them, until an order has been completed."""
    if not client.is_allowed("POST", OPERATORS_PATH):
        return []
    if await _has_rows(client, "/v1/orders", status="completed"):
        return []
    settings = await client.get(SETTINGS_PATH)
    return [
        FirstStep(
            "Set the country, time zone and currency",
            "Phone numbers, times and prices depend on them.",
            "/console/settings#company",
            "time_zone" in settings["given"] and settings["currency"] is not None,
        ),
        FirstStep(
            "Save your first place",
            "Such as your depot, or a shop whose goods you pick up.",
            "/console/places/new",
            await _has_rows(client, "/v1/places"),
        ),
        FirstStep(
            "Add a driver",
            "Drivers use the app on their own phones.",
            "/console/drivers/new",
            await _has_rows(client, "/v1/drivers"),
        ),
        await _make_message_step(client),
        FirstStep(
            "Set your prices",
            "Service rates give each order a price.",
            "/console/service-rates/new",
            await _has_rows(client, "/int/v1/service-rates"),
        ),
        FirstStep(
            "Create your first order",
            "Assign it to a driver and dispatch it.",
            "/console/orders/new",
            await _has_rows(client, "/v1/orders"),
        ),
        FirstStep(
            "Connect your software",
            "A webhook tells it about each event. You can skip this step.",
            "/console/webhooks/new",
            await _has_rows(client, "/int/v1/webhooks"),
        ),
    ]


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
        await _has_rows(client, MESSAGES_PATH, state="sent"),
    )


def list_missing_providers(client: ApiClient) -> list[str]:
    """Name the channels for which this installation has no provider."""
    settings = client.exchange.edge.settings
    urls = {"text messages": settings.sms_url, "email": settings.email_url}
    return [channel for channel, url in urls.items() if not url]


async def _has_rows(client: ApiClient, path: str, **filters: str) -> bool:
    return bool((await client.list_rows(path, {"limit": "1", **filters})).rows)
