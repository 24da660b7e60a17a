"""The Python client of Pannier.

    from pannier_client import Client

    with Client("https://pannier.example.com", "api_live_…") as client:
        order = client.orders.create(pickup="1 Raffles Place", dropoff="80 Mandai Lake Road")
        for order in client.orders.list(status="completed"):
            print(order["id"])

`AsyncClient` has the same methods for asyncio.
"""

from pannier_client.client import AsyncClient, Client
from pannier_client.pages import AsyncPages, Page, Pages
from pannier_client.problem import FieldError, NoResponseError, PannierError, ProblemError
from pannier_client.requests import Options
from pannier_client.retries import RetryPolicy
from pannier_client.webhooks import InvalidSignature, verify

__all__ = [
    "AsyncClient",
    "AsyncPages",
    "Client",
    "FieldError",
    "InvalidSignature",
    "NoResponseError",
    "Options",
    "Page",
    "Pages",
    "PannierError",
    "ProblemError",
    "RetryPolicy",
    "verify",
]
