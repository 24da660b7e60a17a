"""Trials: what a test company says to people, and what of it stays in the drawer.

Test companies have numbers and addresses for trying things out. Codes that somebody asks for at a
number of their own are sent, because that is what is tried; nobody is told anything else by SMS.
"""

import re
from typing import Final

from pannier.accounts.company_settings.models import CompanySettings
from pannier.notifications.models import ChannelName

_REHEARSED: Final = re.compile(r"\+1555555[0-9]{4}|.+@example\.test")


def is_rehearsed(settings: CompanySettings, target: str) -> bool:
    """Tell whether this is a developer's trial: on a test company, with a number for trials."""
    return settings.mode == "test" and _REHEARSED.fullmatch(target) is not None


def stays(settings: CompanySettings, channel: ChannelName, to: str, *, secret: bool) -> bool:
    """Tell whether a message stays in the drawer, whatever the channel's provider is."""
    notice = settings.mode == "test" and channel == "sms" and not secret
    return notice or is_rehearsed(settings, to)
