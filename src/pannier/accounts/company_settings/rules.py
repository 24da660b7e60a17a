"""Validation and normalisation of settings."""

import re
from decimal import Decimal
from functools import lru_cache
from typing import Final
from zoneinfo import available_timezones

from pannier.accounts.company_settings import news
from pannier.accounts.company_settings.news import WordsOfNews
from pannier.kit import country
from pannier.kit.money import CURRENCIES, LARGEST_AMOUNT
from pannier.web.fields import Rules

# Language, script, region, variants. Extensions are rare and not accepted.
_TAG: Final = re.compile(
    r"(?P<language>[a-z]{2,3})(?:-(?P<script>[a-z]{4}))?(?:-(?P<region>[a-z]{2}|\d{3}))?"
    r"(?P<variants>(?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*)",
    re.IGNORECASE,
)
PERCENT: Final = 100
# Names on some machines that are not time zones.
_NOWHERE: Final = frozenset({"localtime", "Factory"})


@lru_cache(maxsize=1)
def _zones() -> frozenset[str]:
    return frozenset(available_timezones() - _NOWHERE)


def time_zone(name: str) -> str:
    if name not in _zones():
        raise ValueError("must be an IANA time zone, such as Asia/Singapore.")
    return name


def locale(tag: str) -> str:
    """Normalise a BCP 47 tag to its usual case, such as zh-Hans-SG."""
    found = _TAG.fullmatch(tag.replace("_", "-"))
    if found is None:
        raise ValueError("must be a language tag (BCP 47), such as en-SG.")
    parts = (
        found["language"].lower(),
        (found["script"] or "").title(),
        (found["region"] or "").upper(),
    )
    return "-".join(part for part in parts if part) + found["variants"].lower()


def currency(code: str) -> str:
    if code.upper() not in CURRENCIES:
        raise ValueError("must be a currency code of three letters, such as SGD.")
    return code.upper()


def return_fee(fee: int | str) -> int | str:
    """Parse a fee in minor units, or a share of the price of at most 100%."""
    if isinstance(fee, int) or fee.isdecimal():
        amount = int(fee)
        if amount > LARGEST_AMOUNT:
            raise ValueError(f"must be at most {LARGEST_AMOUNT:,}.")
        return amount
    percent = Decimal(fee.rstrip("% "))
    if percent > PERCENT:
        raise ValueError("must be at most 100%.")
    return f"{percent.normalize():f}%"


def countries(codes: list[str]) -> list[str]:
    return sorted({country.normalise(code) for code in codes})


def each_once(names: list[str]) -> list[str]:
    return sorted(set(names))


def texts(given: dict[str, WordsOfNews]) -> dict[str, WordsOfNews]:
    kept = {locale(tag): told for tag, told in given.items()}
    news.check(kept)
    return kept


# By the path of the setting in a request.
RULES: Final[Rules] = {
    "country": country.normalise,
    "time_zone": time_zone,
    "locale": locale,
    "currency": currency,
    "return_fee": return_fee,
    "codes.countries": countries,
    "codes.refused_types": each_once,
    "branding.color": str.lower,
    **{f"news.{kind}": news.channels for kind in news.KINDS},
    "news.texts": texts,
}
