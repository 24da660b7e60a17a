"""Scopes that share limits on codes: a store, all drivers, all deliveries."""

from typing import Final
from uuid import UUID

DRIVERS: Final = "drivers"
DELIVERIES: Final = "proof"


def store_scope(store: UUID) -> str:
    return f"store:{store}"
