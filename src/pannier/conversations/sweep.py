"""Retention of messages between dispatch and drivers."""

from typing import Final

from pannier.db.retention import RetentionSweep

CHATS: Final = RetentionSweep("messages", "driver_messages")
