"""Messages after changes of orders: errors, and warnings about assignments."""

from typing import Final

from pannier.console.api_client import ApiClient
from pannier.errors import Problem

# The actions that can assign a driver, or change when the driver has to work.
WARNING_ACTIONS: Final = frozenset({"assign", "dispatch", "plan"})


async def load_warnings(client: ApiClient, action: str, identifier: str) -> str:
    """Return the warnings about an order's driver and vehicle after an action, in one text."""
    if action not in WARNING_ACTIONS:
        return ""
    path = "/v1/orders/{order_id}/assignment-warnings"
    warnings = await client.get(path, order_id=identifier)
    return " ".join(warning["message"] for warning in warnings)


def describe_problem(problem: Problem) -> str:
    """Describe a problem in one text, with the errors of its fields."""
    texts = (field.message for field in problem.fields)
    sentence = " ".join([problem.detail, *(text for text in texts if text not in problem.detail)])
    return sentence[:1].upper() + sentence[1:]
