"""Rules for messages of test companies: which are sent, and which are only stored.

Test companies have reserved phone numbers and addresses, and messages to them are only stored. To
other phone numbers, a test company sends only codes, so that developers can test them.
"""

import re
from typing import Final

from pannier.accounts.company_settings.models import CompanySettings
from pannier.notifications.models import ChannelName

_TEST_RECIPIENT: Final = re.compile(r"\+1555555[0-9]{4}|.+@example\.test")


def is_test_recipient(settings: CompanySettings, recipient: str) -> bool:
    """Return whether a recipient is one of a test company's reserved numbers or addresses."""
    return settings.mode == "test" and _TEST_RECIPIENT.fullmatch(recipient) is not None


def should_only_store(
    settings: CompanySettings, channel: ChannelName, recipient: str, *, secret: bool
) -> bool:
    """Return whether a message is stored but not sent, even if its channel has a provider."""
    is_sms_notice = settings.mode == "test" and channel == "sms" and not secret
    return is_sms_notice or is_test_recipient(settings, recipient)
