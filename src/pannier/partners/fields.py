"""Normalisation of partner fields to the form in which they are stored."""

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID

from pannier.accounts.company_settings import phones, rules
from pannier.db import Db
from pannier.kit import country, email
from pannier.web import fields

_VISIBLE: Final = re.compile(r"[^\s\x00-\x1f\x7f<>\"\\^`{|}]+")


def validate_web_address(text: str) -> str:
    """Validate a website URL. Only http and https may ever become a link."""
    try:
        parts = urlsplit(text)
        is_usable = parts.scheme in {"http", "https"} and parts.hostname and parts.port != 0
    except ValueError:
        is_usable = False
    if not is_usable or parts.username is not None or not _VISIBLE.fullmatch(text):
        raise ValueError("must be a web address, such as https://example.com.")
    return text


RULES: Final[fields.NormalisationRules] = {
    "email": email.normalise,
    "locale": rules.parse_locale,
    "website_url": validate_web_address,
    "country": country.normalise,
    "meta": fields.check_meta,
}
NEVER_EMPTY: Final = frozenset({"name", "type"})


async def normalise(db: Db, company: UUID, values: Mapping[str, Any]) -> dict[str, Any]:
    """Normalise a partner's fields, or raise Invalid with an error for each invalid one."""
    parse_phone = await phones.make_parser(db, company, values.get("phone"))
    return fields.normalise(values, {**RULES, "phone": parse_phone}, never_empty=NEVER_EMPTY)
