"""Scopes of keys and roles of operators."""

from collections.abc import Collection
from typing import Final

from pannier.accounts.models import Role

ALL_SCOPES: Final = "*"
# Each has the scopes `<resource>:read` and `<resource>:write`.
RESOURCES: Final = (
    "contacts",
    "vendors",
    "places",
    "service-areas",
    "zones",
    "service-rates",
    "service-quotes",
    "files",
    "order-configs",
    "orders",
    "plans",
    "payloads",
    "waypoints",
    "entities",
    "tracking-numbers",
    "tracking-statuses",
    "proofs",
    "drivers",
    "vehicles",
    "fleets",
    "issues",
    "devices",
    "transactions",
    "webhooks",
    # Applies wherever events can be read.
    "events",
)
SCOPES: Final = (
    ALL_SCOPES,
    *(f"{resource}:{verb}" for resource in RESOURCES for verb in ("read", "write")),
)

# A role may do everything that the roles below it may.
ROLE_RANKS: Final[dict[Role, int]] = {"viewer": 1, "dispatcher": 2, "admin": 3}


def has_scope(scopes: Collection[str], resource: str, verb: str) -> bool:
    return ALL_SCOPES in scopes or f"{resource}:{verb}" in scopes


def has_role(role: Role, min_role: Role) -> bool:
    """Tell whether a role is at least the required one."""
    return ROLE_RANKS[role] >= ROLE_RANKS[min_role]
