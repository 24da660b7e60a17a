"""The home page: today's figures, and what needs a decision."""

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from litestar import Response

from pannier.console import responses
from pannier.console.api_client import ApiClient
from pannier.console.first_steps import load_first_steps
from pannier.web.exchange import Exchange
from pannier.web.routes import get

API: Final = "/int/v1/home"
TRANSACTIONS_PATH: Final = "/int/v1/transactions"
CASH_PATH: Final = "/int/v1/cash/balances"
# The pages of the lists that counts refer to, and the parameters that they need.
LISTS: Final[Mapping[str, tuple[str, Mapping[str, str]]]] = {
    "/v1/orders": ("/console/orders", {"layout": "table"}),
    "/v1/issues": ("/console/issues", {}),
    "/int/v1/webhooks": ("/console/webhooks", {}),
    "/int/v1/devices": ("/console/devices", {}),
}


class CountLabel(NamedTuple):
    """How a count is presented. `color` marks counts above zero."""

    label: str
    icon: str
    color: str = ""


# The checks of `/status` that the page shows.
NOTICES: Final = ("silence", "backup")
LABELS: Final[Mapping[str, CountLabel]] = {
    "late": CountLabel("Late", "alarm-clock", "red"),
    "unassigned": CountLabel("Unassigned", "user-x", "amber"),
    "failed": CountLabel("Failed attempts", "circle-x", "red"),
    "on_the_way": CountLabel("On the way", "truck"),
    "completed": CountLabel("Completed", "circle-check"),
    "refunds_due": CountLabel("Refunds due", "undo-2"),
    "held": CountLabel("On hold after a failed attempt", "package-x"),
    "open_issues": CountLabel("Open issues", "triangle-alert"),
    "unpriced": CountLabel("Dispatched without a price", "receipt-text"),
    "disabled_webhooks": CountLabel("Disabled webhooks", "webhook"),
    "silent_devices": CountLabel("Silent devices", "wifi-off"),
}


class HomeTile(NamedTuple):
    """A figure, and the page of the records that it counts."""

    label: CountLabel
    text: str
    url: str
    color: str


def make_tiles(client: ApiClient, counts: list[Any]) -> list[HomeTile]:
    """Make the tiles of the counts whose lists the operator may read."""
    return [_make_tile(count) for count in counts if client.is_allowed("GET", count["path"])]


def _make_tile(count: Any) -> HomeTile:  # noqa: ANN401 - JSON
    label = LABELS[count["name"]]
    page, parameters = LISTS[count["path"]]
    text = f"{count['count']:,}{'+' if count['more'] else ''}"
    url = responses.build_url(page, {**parameters, **count["filters"]})
    return HomeTile(label, text, url, label.color if count["count"] else "")


async def load_notices(client: ApiClient) -> list[str]:
    """Load what an admin must know about the installation: silence, and old backups."""
    if client.caller.role != "admin":
        return []
    checks = (await client.get("/status"))["checks"]
    return [checks[name] for name in NOTICES if checks.get(name, "ok") != "ok"]


@get("/home")
async def show_home(exchange: Exchange) -> Response[bytes]:
    """Show today's figures, and what needs a decision."""
    client = ApiClient(exchange)
    home = await client.get(API)
    decisions = [count for count in home["decisions"] if count["count"]]
    return await responses.render_page(
        client,
        "home/home.html",
        notices=await load_notices(client),
        title="Home",
        home=home,
        tiles=make_tiles(client, home["today"]),
        decisions=make_tiles(client, decisions),
        first_steps=await load_first_steps(client),
        has_revenue=client.is_allowed("GET", TRANSACTIONS_PATH),
        has_cash=client.is_allowed("GET", CASH_PATH),
    )


handlers: Final = [show_home]
