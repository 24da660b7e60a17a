"""Those who follow parcels: how they come, and with which links."""

from typing import Any
from urllib.parse import urlsplit

import httpx

from orders.shop import Shop
from stage import House


def stranger(house: House, address: str = "203.0.113.9", language: str = "en") -> httpx.AsyncClient:
    """Somebody without a credential."""
    return house.client(address=address, **{"Accept-Language": language})


def path_of(url: str) -> str:
    """Take the path of an address, with what it asks."""
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


async def link_of(shop: Shop, order: dict[str, Any]) -> str:
    """Answer the path of an order's page, with its key."""
    return path_of((await shop.get(f"orders/{order['id']}/tracker"))["tracking_url"])


async def link_to(shop: Shop, number: str) -> str:
    """Answer the path of the page of a number, with its key."""
    return path_of((await shop.get(f"tracking-numbers/{number}"))["tracking_url"])
