"""Routers of a storefront: for whoever has its key, and for its signed-in customers."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts.auth import storefront
from pannier.accounts.doors import router
from pannier.customers import auth

PREFIX = "/storefront/v1"


def for_storefronts(tag: str, handlers: Sequence[Any]) -> Router:
    """Put handlers where the store's key is enough."""
    return router(PREFIX, storefront, tag, handlers, {"storefrontKey": []})


def for_customers(tag: str, handlers: Sequence[Any]) -> Router:
    """Put handlers where a customer's token is wanted beside the store's key."""
    return router(PREFIX, auth.customer, tag, handlers, {"storefrontKey": [], "customerToken": []})
