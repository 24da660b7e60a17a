"""Countries, by their code of two letters."""

from typing import Final

# What ISO 3166 has beside libphonenumber's regions: lands without a phone plan of their own.
_WITHOUT_PHONES: Final = frozenset({"AQ", "BV", "GS", "HM", "PN", "TF", "UM"})


def normalise(text: str) -> str:
    """Read a country's code of two letters (ISO 3166)."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow every start of the program

    code = text.upper()
    if code not in phonenumbers.SUPPORTED_REGIONS and code not in _WITHOUT_PHONES:
        raise ValueError("must be a country code of two letters, such as SG.")
    return code
