"""Retention of messages, including those of channels without a provider."""

from typing import Final

from pannier.db.retention import RetentionSweep

MESSAGES: Final = RetentionSweep("messages", "messages", condition="t.state <> 'due'")
