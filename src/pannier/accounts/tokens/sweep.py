"""Tokens that have ended, by age, idleness or revocation, leave some time later."""

from typing import Final

from pannier.db.retention import Sweep

TOKENS: Final = Sweep("tokens", "tokens", at="ends_at")
