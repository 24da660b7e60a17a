"""Descriptions of failed deliveries that reveal nothing of the message."""

import re
from typing import Final

from pannier.web.logs import HIDDEN, cleaned

LONGEST: Final = 300
# Codes are words with digits; shorter ones would hide parts of a provider's error number.
_CODES: Final = re.compile(r"\w*\d\w*")
_SHORTEST_CODE: Final = 4


def in_words(failure: Exception, *said: str) -> str:
    """Describe a failure. Mask the message's texts in case the provider repeats them."""
    sentence = " ".join(str(failure).split()) or f"The channel failed: {type(failure).__name__}."
    for secret in sorted(_telling(said), key=len, reverse=True):
        sentence = sentence.replace(secret, HIDDEN)
    return str(cleaned(sentence))[:LONGEST]


def _telling(said: tuple[str, ...]) -> set[str]:
    """List what to mask: the texts and every code in them."""
    codes = {word for text in said for word in _CODES.findall(text) if len(word) >= _SHORTEST_CODE}
    return codes | {" ".join(text.split()) for text in said if text.strip()}
