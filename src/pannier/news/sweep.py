"""What recipients were told is forgotten with the messages that told it."""

from typing import Final

from pannier.db.retention import Sweep

NEWS: Final = Sweep("messages", "news")
