"""Bank accounts are checked by their digits."""

import pytest

from pannier.kit import iban


@pytest.mark.parametrize(
    ("text", "account"),
    [
        ("FI21 1234 5600 0007 85", "FI2112345600000785"),
        ("gb82west12345698765432", "GB82WEST12345698765432"),
        (" DE89 3704 0044 0532 0130 00 ", "DE89370400440532013000"),
    ],
)
def test_an_account_loses_its_spaces(text: str, account: str) -> None:
    assert iban.normalise(text) == account


@pytest.mark.parametrize(
    "text",
    ["", "FI2112345600000786", "FI12112345600000785", "21FI12345600000785", "FI21", "ÄÖ21" * 5],
)
def test_an_account_with_a_slip_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="must be an IBAN"):
        iban.normalise(text)
