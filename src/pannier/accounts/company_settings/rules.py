"""Validation and normalisation of settings."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final, get_args
from zoneinfo import available_timezones

from pannier.accounts.company_settings import news, recipients
from pannier.accounts.company_settings.billing import FeeStage
from pannier.accounts.company_settings.news import WordsOfNews
from pannier.kit import country, email, iban, phone, tax
from pannier.kit.money import CURRENCIES, MAX_AMOUNT
from pannier.web.fields import NormalisationRules

# Language, script, region, variants. Extensions are rare and not accepted.
_TAG: Final = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)",
    re.IGNORECASE,
)
MAX_PERCENT: Final = 100
# Names on some machines that are not time zones.
_NON_ZONES: Final = frozenset({"localtime", "Factory"})


@lru_cache(maxsize=1)
def _list_zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NON_ZONES)


def parse_time_zone(name: str) -> str:
    if name not in _list_zones():
        raise ValueError("must be an IANA time zone, such as Asia/Singapore.")
    return name


def parse_locale(tag: str) -> str:
    """Normalise a BCP 47 tag to its usual case, such as zh-Hans-SG."""
    match = _TAG.fullmatch(tag.replace("_", "-"))
    if match is None:
        raise ValueError("must be a language tag (BCP 47), such as en-SG.")
    parts = (
        match["language"].lower(),
        (match["script"] or "").title(),
        (match["region"] or "").upper(),
    )
    return "-".join(part for part in parts if part) + match["variants"].lower()


def parse_currency(code: str) -> str:
    if code.upper() not in CURRENCIES:
        raise ValueError("must be a currency code of three letters, such as SGD.")
    return code.upper()


def parse_fee(fee: int | str) -> int | str:
    """Parse a fee in minor units, or a share of the price of at most 100%."""
    if isinstance(fee, int) or fee.isdecimal():
        amount = int(fee)
        if amount > MAX_AMOUNT:
            raise ValueError(f"must be at most {MAX_AMOUNT:,}.")
        return amount
    percent = Decimal(fee.rstrip("% "))
    if percent > MAX_PERCENT:
        raise ValueError("must be at most 100%.")
    return f"{percent.normalize():f}%"


def parse_countries(codes: list[str]) -> list[str]:
    return sorted({country.normalise(code) for code in codes})


def sort_unique(names: list[str]) -> list[str]:
    return sorted(set(names))


def parse_texts(texts: dict[str, WordsOfNews]) -> dict[str, WordsOfNews]:
    texts_by_locale = {parse_locale(tag): text for tag, text in texts.items()}
    news.check_texts(texts_by_locale)
    return texts_by_locale


# By the path of the setting in a request.
PARSERS: Final[NormalisationRules] = {
    "country": country.normalise,
    "time_zone": parse_time_zone,
    "locale": parse_locale,
    "currency": parse_currency,
    "return_fee": parse_fee,
    "dispatch_phone": phone.normalise,
    **{f"cancellation_fees.{stage}": parse_fee for stage in get_args(FeeStage)},
    "tax_rate": tax.parse_rate,
    "billing_address.country": country.normalise,
    "iban": iban.normalise,
    "bic": str.upper,
    "codes.countries": parse_countries,
    "codes.refused_types": sort_unique,
    "branding.color": str.lower,
    **{f"news.{kind}": news.remove_duplicates for kind in news.KINDS},
    "news.texts": parse_texts,
    "recipients.weekdays": recipients.parse_weekdays,
    "recipients.windows": recipients.parse_windows,
    "recipients.contact_phone": phone.normalise,
    "recipients.contact_email": email.normalise,
}
