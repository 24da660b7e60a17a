"""Routers of the storefront API, with the store's key alone or with a customer's token too."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts.auth import storefront
from pannier.accounts.doors import router
from pannier.customers import auth

PREFIX = "/storefront/v1"


def for_storefronts(tag: str, handlers: Sequence[Any]) -> Router:
    """Build a router whose handlers need the store's key only."""
    return router(PREFIX, storefront, tag, handlers, {"storefrontKey": []})


def for_customers(tag: str, handlers: Sequence[Any]) -> Router:
    """Build a router whose handlers need the store's key and a customer's token."""
    return router(PREFIX, auth.customer, tag, handlers, {"storefrontKey": [], "customerToken": []})
