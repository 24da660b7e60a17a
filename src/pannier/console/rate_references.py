"""The records that rates refer to: as options of the editor, and their names."""

from typing import Any

from pannier.console.api_client import ApiClient
from pannier.console.record_names import load_record_names
from pannier.console.tariff import RateReferences


async def load_references(client: ApiClient) -> RateReferences:
    """Load the records that a rate can refer to."""
    options_by_resource = {}
    for name in ("service-areas", "zones", "order-configs"):
        rows = (await client.list_rows(f"/v1/{name}", {"limit": "100"})).rows
        options_by_resource[name] = [(row["id"], row["name"]) for row in rows]
    return RateReferences(
        areas=options_by_resource["service-areas"],
        zones=options_by_resource["zones"],
        order_configs=options_by_resource["order-configs"],
    )


async def load_partner_names(client: ApiClient, rate: Any) -> dict[str, str]:  # noqa: ANN401 - JSON
    """Load the names of the rate's vendor and customers."""
    identifiers = [rate["facilitator"], *rate["customers"]]
    vendors = [name for name in identifiers if name and name.startswith("vendor_")]
    contacts = [name for name in identifiers if name and name not in vendors]
    return {
        **(await load_record_names(client, "vendors", vendors) if vendors else {}),
        **(await load_record_names(client, "contacts", contacts) if contacts else {}),
    }
