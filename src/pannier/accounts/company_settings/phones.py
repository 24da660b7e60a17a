"""Phone numbers without a country code, read as numbers of the company's country."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from pannier.accounts.company_settings import queries
from pannier.db import Db
from pannier.errors import parse_field
from pannier.kit import phone


async def make_parser(db: Db, company: UUID, *numbers: object) -> Callable[[str], str]:
    """Make the parser for these numbers; load the country only if one of them needs it."""
    texts = [number for number in numbers if isinstance(number, str)]
    if not any(map(phone.is_national, texts)):
        return phone.normalise
    return partial(phone.normalise, country=(await queries.load(db, company)).country)


def restore_plus(number: str | None) -> str | None:
    """Restore the plus of a number in a query, where an unescaped plus becomes a space."""
    return number if number is None or not number.startswith(" ") else f"+{number[1:]}"


async def parse(db: Db, company: UUID, number: str, *, path: str = "phone") -> str:
    """Parse a number, or raise Invalid for the field that contains it."""
    return parse_field(path, await make_parser(db, company, number), number)
