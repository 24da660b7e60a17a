"""Sample data of an empty company: add it, see what it is, and remove it."""

from typing import Any, Final

from litestar import Response

from pannier.console import confirmation, responses
from pannier.console.api_client import ApiClient
from pannier.console.first_steps import SAMPLE_DATA_PATH
from pannier.console.navigation import LABELS
from pannier.console.record_names import load_labels
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

URL: Final = "/console/settings/sample-data"


@get("/settings/sample-data")
async def show_sample_data(exchange: Exchange) -> Response[bytes]:
    """Show the sample records, and why some were not removed."""
    client = ApiClient(exchange)
    records = (await client.get(SAMPLE_DATA_PATH))["records"]
    return await responses.render_page(
        client,
        "settings/sample-data.html",
        title="Sample data",
        records=records,
        known_names=await load_labels(client, [record["record"] for record in records]),
        resources=LABELS,
    )


@post("/settings/sample-data", status_code=200)
async def add_sample_data(exchange: Exchange) -> Response[bytes]:
    """Add the sample data, and show its orders."""
    await ApiClient(exchange).send("POST", SAMPLE_DATA_PATH)
    return responses.redirect_with_flash(
        exchange, "/console/orders", message="Sample data added. Its names end with “(sample)”."
    )


@post("/settings/sample-data/remove", status_code=200)
async def remove_sample_data(exchange: Exchange) -> Response[bytes]:
    """Remove the sample data, and show what stays."""
    confirmation.require_confirmation(exchange, "Remove the sample data?", "Remove")
    result = await ApiClient(exchange).send("DELETE", SAMPLE_DATA_PATH)
    return responses.redirect_with_flash(
        exchange, URL if result["records"] else "/console/home", message=_describe_removal(result)
    )


def _describe_removal(result: Any) -> str:  # noqa: ANN401 - JSON
    if not result["records"]:
        return "Sample data removed."
    return f"{result['removed']} removed, {len(result['records'])} not removed."


handlers: Final = [show_sample_data, add_sample_data, remove_sample_data]
