"""Amounts of money: integers of a currency's minor unit, never floats."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal

import msgspec

# ISO 4217 list one as of amendment 180, without the codes that have no minor unit (metals,
# bond units, testing).
_CODES = """
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP
BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN
ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK
JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD
MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP
PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP
SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV
WST XAD XAF XCD XCG XOF XPF YER ZAR ZMW ZWG
"""
CURRENCIES = frozenset(_CODES.split())

# Digits as in ISO 4217. CLDR's are for the display of prices and differ for 13 currencies.
_UNUSUAL_DIGITS = {
    0: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF",
    3: "BHD IQD JOD KWD LYD OMR TND",
    4: "CLF UYW",
}
_USUAL_DIGITS = 2
_EXPONENTS = {code: digits for digits, codes in _UNUSUAL_DIGITS.items() for code in codes.split()}

# The maximum of a 64-bit column.
MAX_AMOUNT = 2**63 - 1
_AMOUNT_DIGITS = len(str(MAX_AMOUNT))

_DECIMAL_TEXT = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?")


class Money(msgspec.Struct, frozen=True):
    """An amount in the minor units of its currency: 1250 in SGD is 12.50 dollars."""

    amount: int
    currency: str

    def __post_init__(self) -> None:
        exponent(self.currency)
        if isinstance(self.amount, bool) or not isinstance(self.amount, int):
            raise ValueError("must be a whole number of minor units, such as 1250 for 12.50.")  # noqa: TRY004 - all invalid values raise ValueError
        if abs(self.amount) > MAX_AMOUNT:
            raise ValueError("The amount is too large.")

    def __add__(self, other: "Money") -> "Money":
        return Money(self.amount + self._check_currency(other).amount, self.currency)

    def __sub__(self, other: "Money") -> "Money":
        return Money(self.amount - self._check_currency(other).amount, self.currency)

    def __neg__(self) -> "Money":
        return Money(-self.amount, self.currency)

    def multiply(self, factor: Decimal) -> "Money":
        """Multiply by a factor and round half up once."""
        if not factor.is_finite():
            raise ValueError("Money can only be multiplied by a finite number.")
        product = _make_exact_context(factor).multiply(Decimal(self.amount), factor)
        return Money(_round_half_up(product), self.currency)

    def to_decimal(self) -> Decimal:
        """Return the amount in major units, with as many digits as the currency has."""
        return Decimal(self.amount).scaleb(-exponent(self.currency))

    def format(self) -> str:
        """Format the amount as plain text, such as `12.50 SGD`."""
        return f"{self.to_decimal():f} {self.currency}"

    def _check_currency(self, other: "Money") -> "Money":
        if other.currency != self.currency:
            raise ValueError(
                f"{self.currency} and {other.currency} are different currencies: "
                "their amounts cannot be combined."
            )
        return other


def exponent(currency: str) -> int:
    """Return the number of decimal digits of a currency."""
    if currency not in CURRENCIES:
        raise ValueError("Unknown currency. Use an ISO 4217 code of three capital letters.")
    return _EXPONENTS.get(currency, _USUAL_DIGITS)


def from_decimal(value: Decimal | str, currency: str) -> Money:
    """Convert major units; raise ValueError for more digits than the currency has."""
    digits = exponent(currency)
    major = _parse_decimal(value)
    minor = major.scaleb(digits, _make_exact_context(major))
    amount = _round_half_up(minor)
    if amount != minor:
        raise ValueError(f"An amount in {currency} has at most {digits} decimal digits.")
    return Money(amount, currency)


def total(amounts: Iterable[Money], currency: str) -> Money:
    """Return the sum of the amounts; without amounts, return zero in the currency."""
    return sum(amounts, Money(0, currency))


def to_major_units(amount: Decimal | int, currency: str) -> str:
    """Format minor units as major units. Fractions are kept: in SGD, 80.5 is 0.805."""
    return f"{Decimal(amount).scaleb(-exponent(currency)):f}"


def divide_half_up(numerator: int, denominator: int) -> int:
    """Divide and round halves away from zero. The denominator must be positive."""
    nearest = (2 * abs(numerator) + denominator) // (2 * denominator)
    return nearest if numerator >= 0 else -nearest


def _parse_decimal(value: Decimal | str) -> Decimal:
    if isinstance(value, str):
        if not _DECIMAL_TEXT.fullmatch(value):
            raise ValueError("must be an amount with digits and one point, such as 12.50.")
        value = Decimal(value)
    if not value.is_finite():
        raise ValueError("An amount must be a finite number.")
    return value


def _make_exact_context(value: Decimal) -> Context:
    """Return a context with enough digits that only the rounding to minor units loses any."""
    return Context(prec=_AMOUNT_DIGITS + len(value.as_tuple().digits), traps=[])


def _round_half_up(value: Decimal) -> int:
    # Checked before the conversion to an integer: 1E+1000000 would fill the memory.
    if not value.is_finite() or value.adjusted() >= _AMOUNT_DIGITS:
        raise ValueError("The amount is too large.")
    return int(value.to_integral_value(ROUND_HALF_UP))
