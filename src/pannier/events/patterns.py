"""Patterns of event names: all events, a group, or one event."""

from collections.abc import Collection, Sequence
from typing import Final

from pannier.events.catalog import Name

EVERYTHING: Final = "*"
GROUPS: Final = tuple(dict.fromkeys(f"{name.partition('.')[0]}.*" for name in Name))
PATTERNS: Final = (EVERYTHING, *GROUPS, *(str(name) for name in Name))


def list_patterns(name: str) -> tuple[str, str, str]:
    """List the patterns that match an event."""
    return EVERYTHING, f"{name.partition('.')[0]}.*", name


def matches(patterns: Collection[str], name: str) -> bool:
    """Return whether one of the patterns matches an event."""
    return any(pattern in patterns for pattern in list_patterns(name))


def list_names(patterns: Collection[str]) -> list[str]:
    """List the names of the events that the patterns match."""
    return [str(name) for name in Name if matches(patterns, name)]


def validate(patterns: Sequence[str]) -> list[str]:
    """Return the patterns without duplicates. Raise ValueError for an unknown one."""
    if not patterns:
        raise ValueError("Choose at least one event, or * for all.")
    for pattern in patterns:
        if pattern not in PATTERNS:
            raise ValueError(
                f"There is no event {pattern!r}. GET /int/v1/event-catalog lists the events; "
                "order.* matches a group, and * all of them."
            )
    return list(dict.fromkeys(patterns))
