"""Retention of messages, including those of channels without a provider."""

from typing import Final

from pannier.db.retention import Sweep

MESSAGES: Final = Sweep("messages", "messages", that="t.state <> 'due'")
