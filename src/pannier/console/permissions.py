"""The roles that API calls require. Handlers under `/int/v1` declare them; others are set here."""

from typing import Final

from litestar.handlers import HTTPRouteHandler

from pannier.accounts.models import Role
from pannier.accounts.permissions import MONEY_ROLES, has_role
from pannier.web.exchange import SAFE_METHODS
from pannier.web.openapi import security

# Admins configure the company. Dispatchers do the daily work. A handler of a task with money names
# it as `money_task`.
CONFIGURATION: Final = frozenset(
    {"order-configs", "service-areas", "service-rates", "webhooks", "zones"}
)


def find_required_roles(method: str, handler: HTTPRouteHandler) -> tuple[Role, ...]:
    """Return the lowest roles that may call a handler."""
    requirement = security.read_requirement(handler)
    if requirement.min_roles:
        return requirement.min_roles  # type: ignore[return-value]  # handlers declare roles
    if task := handler.opt.get("money_task"):
        return MONEY_ROLES[task]
    if method in SAFE_METHODS and not handler.opt.get("writes"):
        return ("viewer",)
    return ("admin",) if requirement.resource in CONFIGURATION else ("dispatcher",)


def can_call(role: Role, method: str, handler: HTTPRouteHandler) -> bool:
    return has_role(role, *find_required_roles(method, handler))
