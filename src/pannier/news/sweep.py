"""Retention of the records of news, the same as of messages."""

from typing import Final

from pannier.db.retention import RetentionSweep

NEWS: Final = RetentionSweep("messages", "news")
