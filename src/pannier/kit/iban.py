"""Bank accounts by IBAN (ISO 13616)."""

import re
from typing import Final

_SHAPE: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")
_MODULUS: Final = 97


def normalise(text: str) -> str:
    """Remove the spaces of an IBAN; raise ValueError if its check digits are wrong."""
    iban = "".join(text.split()).upper()
    if _SHAPE.fullmatch(iban) is None or not _has_valid_check_digits(iban):
        raise ValueError("must be an IBAN, such as FI21 1234 5600 0007 85.")
    return iban


def _has_valid_check_digits(iban: str) -> bool:
    digits = "".join(str(int(character, 36)) for character in iban[4:] + iban[:4])
    return int(digits) % _MODULUS == 1
