"""Where drivers and vehicles were long ago is forgotten."""

from typing import Final

from pannier.db.retention import Sweep

POSITIONS: Final = Sweep("positions", "positions")
