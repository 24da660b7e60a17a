"""What each role may do at the console: as the doors under `/int/v1` say, and here for `/v1`."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from pannier.accounts.models import Role
from pannier.accounts.permissions import may_act_as
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import security

# How a company works is for its admins to change; the work itself is its dispatchers'.
CONFIGURATION: Final = frozenset(
    {"order-configs", "service-areas", "service-rates", "webhooks", "zones"}
)


def least(method: str, door: HTTPRouteHandler) -> Role:
    """Name the least role that may call a door."""
    asked = security.asked(door)
    if asked.least is not None:
        return asked.least  # type: ignore[return-value]  # a door is made with a role
    if method in SAFE_METHODS and not door.opt.get("writes"):
        return "viewer"
    return "admin" if asked.resource in CONFIGURATION else "dispatcher"


def may(role: Role, method: str, door: HTTPRouteHandler) -> bool:
    """Tell whether a role may call a door."""
    return may_act_as(role, least(method, door))
