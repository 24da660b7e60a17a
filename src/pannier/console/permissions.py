"""The role that an API call requires: declared under `/int/v1`, and decided here for `/v1`."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from pannier.accounts.models import Role
from pannier.accounts.permissions import may_act_as
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import security

# Admins configure the company. Dispatchers do the daily work.
CONFIGURATION: Final = frozenset(
    {"order-configs", "service-areas", "service-rates", "webhooks", "zones"}
)


def least(method: str, door: HTTPRouteHandler) -> Role:
    """Return the lowest role that may call a handler."""
    asked = security.asked(door)
    if asked.least is not None:
        return asked.least  # type: ignore[return-value]  # handlers declare a role
    if method in SAFE_METHODS and not door.opt.get("writes"):
        return "viewer"
    return "admin" if asked.resource in CONFIGURATION else "dispatcher"


def may(role: Role, method: str, door: HTTPRouteHandler) -> bool:
    return may_act_as(role, least(method, door))
