"""Retention of tokens that have expired or were revoked."""

from typing import Final

from pannier.db.retention import Sweep

TOKENS: Final = Sweep("tokens", "tokens", at="ends_at")
