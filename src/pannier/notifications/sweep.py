"""Old messages are forgotten, the drawer's too."""

from typing import Final

from pannier.db.retention import Sweep

MESSAGES: Final = Sweep("messages", "messages", that="t.state <> 'due'")
