"""Retention of alerts. Even an open one ends with it."""

from typing import Final

from pannier.db.retention import RetentionSweep

ALERTS: Final = RetentionSweep("events", "alerts", time_column="raised_at")
