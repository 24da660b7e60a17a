"""The terms of an order's customer, shown where the customer is chosen."""

from typing import Any

from pannier.console.api_client import ApiClient
from pannier.errors import NotFound


async def load_customer(
    client: ApiClient,
    customer: Any,  # noqa: ANN401 - an identifier, a new customer or None
) -> Any:  # noqa: ANN401 - JSON
    """Load an existing contact or vendor. Return None for a new customer or an unknown one."""
    if not isinstance(customer, str):
        return None
    for resource, name in (("contacts", "contact_id"), ("vendors", "vendor_id")):
        try:
            return await client.get(f"/v1/{resource}/{{{name}}}", **{name: customer})
        except NotFound:
            continue
    return None
