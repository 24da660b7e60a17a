"""Settings of a company: how they are read, and how a store's go before the company's."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pannier.accounts.company_settings import rules
from pannier.accounts.company_settings.codes import CodeSettings
from pannier.accounts.company_settings.models import BrandSettings, StoreSettings
from pannier.accounts.company_settings.parts import get_configured_values, merge_parts


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("en", "en"),
        ("EN_sg", "en-SG"),
        ("zh-hans-sg", "zh-Hans-SG"),
        ("es-419", "es-419"),
        ("de-DE-1996", "de-DE-1996"),
        ("sl-rozaj", "sl-rozaj"),
    ],
)
def test_a_locale_is_written_one_way(written: str, kept: str) -> None:
    assert rules.parse_locale(written) == kept


@pytest.mark.parametrize("written", ["", "e", "english", "en-", "en-SG-", "en/SG", "123", "en US"])
def test_what_is_no_locale_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="BCP 47"):
        rules.parse_locale(written)


@given(st.text(max_size=40))
def test_a_locale_that_is_taken_is_taken_as_it_is_kept(written: str) -> None:
    try:
        kept = rules.parse_locale(written)
    except ValueError:
        return
    assert rules.parse_locale(kept) == kept


def test_a_change_of_a_part_keeps_the_others() -> None:
    kept = StoreSettings(locale="en-SG", codes=CodeSettings(sends_per_hour=2, wrong_per_day=40))
    changed = merge_parts(
        kept,
        StoreSettings(codes=CodeSettings(sends_per_hour=None), branding=BrandSettings(name="Shop")),
    )
    assert changed == StoreSettings(
        locale="en-SG", codes=CodeSettings(wrong_per_day=40), branding=BrandSettings(name="Shop")
    )
    assert get_configured_values(changed.codes) == {"wrong_per_day": 40}
