"""Country codes."""

from typing import Final

# ISO 3166 territories that libphonenumber does not know: they have no phone numbers of their own.
_REGIONS_WITHOUT_PHONES: Final = frozenset({"AQ", "BV", "GS", "HM", "PN", "TF", "UM"})


def normalise(text: str) -> str:
    """Return a two-letter country code (ISO 3166) in upper case, or raise ValueError."""
    import phonenumbers  # noqa: PLC0415 - its tables would slow down every start

    code = text.upper()
    if code not in phonenumbers.SUPPORTED_REGIONS and code not in _REGIONS_WITHOUT_PHONES:
        raise ValueError("must be a country code of two letters, such as SG.")
    return code
