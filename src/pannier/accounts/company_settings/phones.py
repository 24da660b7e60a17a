"""Phone numbers without a country code, read as numbers of the company's country."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from pannier.accounts.company_settings import queries
from pannier.db import Db
from pannier.errors import checked
from pannier.kit import phone


async def reader(db: Db, company: UUID, *numbers: object) -> Callable[[str], str]:
    """Return the parser for these numbers; load the country only if one of them needs it."""
    texts = [number for number in numbers if isinstance(number, str)]
    if not any(map(phone.is_national, texts)):
        return phone.normalise
    return partial(phone.normalise, country=(await queries.of(db, company)).country)


def from_query(number: str | None) -> str | None:
    """Restore the plus of a number in a query, where an unescaped plus becomes a space."""
    return number if number is None or not number.startswith(" ") else f"+{number[1:]}"


async def read(db: Db, company: UUID, number: str, *, path: str = "phone") -> str:
    """Parse a number, or refuse the field that contains it."""
    return checked(path, await reader(db, company, number), number)
