"""Descriptions of failed deliveries, without the contents of the message."""

import re
from typing import Final

from pannier.web.logs import REDACTED, redact

MAX_ERROR_LENGTH: Final = 300
# Words with digits may be codes. Shorter words may be parts of a provider's error number.
_CODES: Final = re.compile(r"\w*\d\w*")
_MIN_CODE_LENGTH: Final = 4


def describe_failure(failure: Exception, *texts: str) -> str:
    """Describe a failure. Mask the message's texts in case the provider repeats them."""
    sentence = " ".join(str(failure).split()) or f"The channel failed: {type(failure).__name__}."
    for secret in sorted(_list_secrets(texts), key=len, reverse=True):
        sentence = sentence.replace(secret, REDACTED)
    return str(redact(sentence))[:MAX_ERROR_LENGTH]


def _list_secrets(texts: tuple[str, ...]) -> set[str]:
    """List the strings to mask: the texts, and every code in them."""
    codes = {
        word for text in texts for word in _CODES.findall(text) if len(word) >= _MIN_CODE_LENGTH
    }
    return codes | {" ".join(text.split()) for text in texts if text.strip()}
