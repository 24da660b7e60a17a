"""Phone numbers as a company's people write them: without a country code, those of its country."""

from collections.abc import Callable
from functools import partial
from uuid import UUID

from pannier.accounts.company_settings import queries
from pannier.db import Db
from pannier.errors import checked
from pannier.kit import phone


async def reader(db: Db, company: UUID, *numbers: object) -> Callable[[str], str]:
    """Tell how these numbers are read; the country is looked up only if one of them needs it."""
    texts = [number for number in numbers if isinstance(number, str)]
    if not any(map(phone.is_national, texts)):
        return phone.normalise
    return partial(phone.normalise, country=(await queries.of(db, company)).country)


def from_query(number: str | None) -> str | None:
    """Take a number from a query, where a plus that was not escaped arrives as a space."""
    return number if number is None or not number.startswith(" ") else f"+{number[1:]}"


async def read(db: Db, company: UUID, number: str, *, path: str = "phone") -> str:
    """Read a number, or refuse the field that it is in."""
    return checked(path, await reader(db, company, number), number)
