"""Why a message was not delivered, in words that give nothing of the message away."""

import re
from typing import Final

from pannier.web.logs import HIDDEN, cleaned

LONGEST: Final = 300
# Codes are words with digits; shorter ones would hide parts of a provider's error number.
_CODES: Final = re.compile(r"\w*\d\w*")
_SHORTEST_CODE: Final = 4


def in_words(failure: Exception, *said: str) -> str:
    """Tell a failure without what was said, should the channel repeat it."""
    sentence = " ".join(str(failure).split()) or f"The channel failed: {type(failure).__name__}."
    for secret in sorted(_telling(said), key=len, reverse=True):
        sentence = sentence.replace(secret, HIDDEN)
    return str(cleaned(sentence))[:LONGEST]


def _telling(said: tuple[str, ...]) -> set[str]:
    """List what must not be repeated: the texts themselves, and every code within them."""
    codes = {word for text in said for word in _CODES.findall(text) if len(word) >= _SHORTEST_CODE}
    return codes | {" ".join(text.split()) for text in said if text.strip()}
