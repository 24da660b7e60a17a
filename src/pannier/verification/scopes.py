"""Whose codes are bounded together: a store's, those of all drivers, those of all deliveries."""

from typing import Final
from uuid import UUID

DRIVERS: Final = "drivers"
DELIVERIES: Final = "proof"


def of_store(store: UUID) -> str:
    """Name the scope of a store's codes."""
    return f"store:{store}"
