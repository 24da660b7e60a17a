"""Durations as text."""

from datetime import timedelta
from typing import Final

UNITS: Final = (("day", 86400), ("hour", 3600), ("minute", 60), ("second", 1))


def to_text(duration: timedelta) -> str:
    """Format a duration in its largest unit, rounded down: `42 seconds`, `3 days`."""
    seconds = max(0, int(duration.total_seconds()))
    unit, size = next(((unit, size) for unit, size in UNITS if seconds >= size), UNITS[-1])
    count = seconds // size
    return f"{count} {unit}" if count == 1 else f"{count} {unit}s"
