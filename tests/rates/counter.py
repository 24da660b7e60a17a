"""A counter at which a company sells deliveries: its rates, its zones, and what is asked there."""

from typing import Any, Final

import httpx

from stage import Firm

# Along the equator: a degree is a degree, and a thousandth of it 111 metres.
CENTRE: Final = "0.0,100.0"
EAST: Final = "0.0,100.1"
FAR: Final = "0.0,110.0"
FLAT: Final = {
    "service_name": "Flat",
    "service_type": "standard",
    "currency": "SGD",
    "rate_calculation_method": "fixed_rate",
    "base_fee": 500,
}
BY_KILOMETRE: Final = {
    "service_name": "Express",
    "service_type": "express",
    "currency": "SGD",
    "rate_calculation_method": "per_meter",
    "base_fee": 500,
    "per_meter_flat_rate_fee": 80,
    "per_meter_unit": "km",
}


def square(west: float, south: float, side: float) -> dict[str, Any]:
    """Draw a square, in degrees."""
    east, north = west + side, south + side
    ring = [[west, south], [east, south], [east, north], [west, north], [west, south]]
    return {"type": "Polygon", "coordinates": [ring]}


async def make(firm: Firm, path: str, body: dict[str, Any]) -> dict[str, Any]:
    """Save something."""
    answer = await firm.api.post(f"/v1/{path}", json=body)
    assert answer.status_code == 201, answer.text
    made: dict[str, Any] = answer.json()
    return made


async def rate(firm: Firm, **wish: Any) -> dict[str, Any]:
    """Save a rate: a flat one, but for what is wished."""
    return await make(firm, "service-rates", {**FLAT, **wish})


async def area(firm: Firm, border: dict[str, Any], name: str = "Area") -> dict[str, Any]:
    """Save a service area."""
    return await make(firm, "service-areas", {"name": name, "border": border})


async def zone(firm: Firm, border: dict[str, Any], name: str = "Zone") -> dict[str, Any]:
    """Save a zone, in an area of its own."""
    around = await area(firm, border, f"Around {name}")
    return await make(firm, "zones", {"name": name, "border": border, "service_area": around["id"]})


async def ask(client: httpx.AsyncClient, path: str = "/v1/service-quotes", **sent: Any) -> Any:
    """Ask for quotes, from the centre to the east unless something else is said."""
    way = {} if {"payload", "waypoints"} & sent.keys() else {"pickup": CENTRE, "dropoff": EAST}
    answer = await client.get(path, params={**way, **sent})
    assert answer.status_code == 200, answer.text
    return answer.json()


async def names(firm: Firm, **sent: Any) -> list[str]:
    """Ask which rates have a price, in the order of their prices."""
    return [quote["service_rate_name"] for quote in await ask(firm.api, **sent)]
