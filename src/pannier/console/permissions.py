"""The roles that API calls require. Handlers under `/int/v1` declare them; others are set here."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from pannier.accounts.models import Role
from pannier.accounts.permissions import has_role
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import security

# Admins configure the company. Dispatchers do the daily work.
CONFIGURATION: Final = frozenset(
    {"order-configs", "service-areas", "service-rates", "webhooks", "zones"}
)


def find_required_role(method: str, handler: HTTPRouteHandler) -> Role:
    """Return the lowest role that may call a handler."""
    requirement = security.read_requirement(handler)
    if requirement.min_role is not None:
        return requirement.min_role  # type: ignore[return-value]  # handlers declare a role
    if method in SAFE_METHODS and not handler.opt.get("writes"):
        return "viewer"
    return "admin" if requirement.resource in CONFIGURATION else "dispatcher"


def can_call(role: Role, method: str, handler: HTTPRouteHandler) -> bool:
    return has_role(role, find_required_role(method, handler))
