"""Scopes of keys and roles of operators."""

from collections.abc import Collection
from typing import Final

from pannier.accounts.models import Role

EVERYTHING: Final = "*"
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
    EVERYTHING,
    *(f"{resource}:{verb}" for resource in RESOURCES for verb in ("read", "write")),
)

# A role may do everything that the roles below it may.
RANKS: Final[dict[Role, int]] = {"viewer": 1, "dispatcher": 2, "admin": 3}


def covers(scopes: Collection[str], resource: str, verb: str) -> bool:
    return EVERYTHING in scopes or f"{resource}:{verb}" in scopes


def may_act_as(role: Role, least: Role) -> bool:
    """Tell whether a role is at least the required one."""
    return RANKS[role] >= RANKS[least]
