"""Routers of the storefront API, with the store's key alone or with a customer's token too."""

from collections.abc import Sequence
from typing import Any

from litestar import Router

from pannier.accounts.api_routers import guarded_router
from pannier.accounts.auth import require_storefront_key
from pannier.customers import auth

STOREFRONT_PREFIX = "/storefront/v1"


def storefront_router(tag: str, handlers: Sequence[Any]) -> Router:
    """Build a router whose handlers need the store's key only."""
    return guarded_router(
        STOREFRONT_PREFIX, require_storefront_key, tag, handlers, {"storefrontKey": []}
    )


def visitor_router(tag: str, handlers: Sequence[Any]) -> Router:
    """Build a router whose handlers need the store's key, and know a customer by their token."""
    return guarded_router(
        STOREFRONT_PREFIX,
        auth.recognise_customer,
        tag,
        handlers,
        {"storefrontKey": []},
        {"storefrontKey": [], "customerToken": []},
    )


def customer_router(tag: str, handlers: Sequence[Any]) -> Router:
    """Build a router whose handlers need the store's key and a customer's token."""
    return guarded_router(
        STOREFRONT_PREFIX,
        auth.require_customer,
        tag,
        handlers,
        {"storefrontKey": [], "customerToken": []},
    )
