"""Retention of tokens that have expired or were revoked."""

from typing import Final

from pannier.db.retention import RetentionSweep

TOKENS: Final = RetentionSweep("tokens", "tokens", time_column="ends_at")
