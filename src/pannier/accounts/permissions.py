"""Who may do what: scopes of keys, roles of operators."""

from collections.abc import Collection
from typing import Final

from pannier.accounts.models import Role

EVERYTHING: Final = "*"
# What an API key's scopes can speak of; `<resource>:read` and `<resource>:write`.
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
    # What an event says, wherever it is read.
    "events",
)
SCOPES: Final = (
    EVERYTHING,
    *(f"{resource}:{verb}" for resource in RESOURCES for verb in ("read", "write")),
)

# The least role that may do a thing; a role may do all that a lesser one may.
RANKS: Final[dict[Role, int]] = {"viewer": 1, "dispatcher": 2, "admin": 3}


def covers(scopes: Collection[str], resource: str, verb: str) -> bool:
    """Tell whether a key's scopes allow reading or writing a resource."""
    return EVERYTHING in scopes or f"{resource}:{verb}" in scopes


def may_act_as(role: Role, least: Role) -> bool:
    """Tell whether a role is at least the one that is asked for."""
    return RANKS[role] >= RANKS[least]
