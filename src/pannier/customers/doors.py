"""The router of signed-in customers."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.customers import auth


def for_customers(tag: str, handlers: Sequence[Any]) -> Router:
    """Put handlers under `/storefront/v1`: for a customer's token beside the store's key."""
    return Router(
        "/storefront/v1",
        route_handlers=handlers,
        before_request=auth.customer,
        tags=[tag],
        security=[{"storefrontKey": [], "customerToken": []}],
    )
