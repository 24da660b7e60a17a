"""The text search of orders: by numbers, notes, people, phone numbers, items and addresses."""

import re
from contextlib import suppress
from typing import Final

from pannier.db import Where
from pannier.db.paging import MAX_SEARCH_SECONDS
from pannier.db.table import (
    escape_like,
    to_like_pattern,
    to_part_query,
    to_word_query,
    word_index_expression,
)
from pannier.kit import phone
from pannier.partners import queries as partners
from pannier.payloads import numbers
from pannier.payloads.queries import ENTITIES
from pannier.places.queries import places

# Orders with notes or an internal id, and their indexed words.
HAS_NOTES: Final = "(internal_id is not null or notes is not null)"
NOTE_WORDS: Final = word_index_expression(("internal_id", "notes"))
# Numbers without their separators, of which every part is indexed.
BARE_INTERNAL_ID: Final = "translate(internal_id, ' -_./#:', '')"
BARE_NUMBER: Final = "replace(number, '-', '')"
SEPARATORS: Final = re.compile(r"[\s_./#:-]+")
# Shorter parts of numbers, and shorter texts about items and addresses, match too many orders.
MIN_PART_LENGTH: Final = 4
MIN_TEXT_LENGTH: Final = 3
# Limit of matching items, places and contacts at stops whose orders are read.
MAX_MATCHES: Final = 1000
# Limits of the orders, payloads and stops that are read for each of them, and altogether.
MAX_ROWS_PER_RECORD: Final = 1000
MAX_ROWS: Final = 10_000
PHONE: Final = re.compile(r"\+?[\d\s()./-]+")
MIN_PHONE_DIGITS: Final = 6
WORDS: Final = "to_tsquery('simple', fold_accents(:words))"
PHONE_WORDS: Final = "to_tsquery('simple', :phone_words)"
PEOPLE: Final = (("contacts", partners.contacts), ("vendors", partners.vendors))


def add_text_search(where: Where, query: str, country: str | None) -> Where:
    """Restrict to orders that match a person's search. National phone numbers are `country`'s."""
    where.max_seconds = MAX_SEARCH_SECONDS
    text = query.strip()
    bare_text = SEPARATORS.sub("", text)
    company = where.values["company"]
    word_query = to_word_query(company, text)
    number_start = numbers.parse_start(text) or ""
    phone_numbers = list_phone_numbers(text, country)
    branches = _list_text_branches(has_words=word_query is not None)
    if sum(map(str.isalnum, bare_text)) >= MIN_PART_LENGTH:
        branches += _list_part_branches()
    if word_query is not None and len(text) >= MIN_TEXT_LENGTH:
        branches += _list_payload_branches()
    if phone_numbers:
        branches += _list_phone_branches()
    if word_query is not None and "@" in text:
        branches.append(_list_email_branch())
    return where.add(
        # An array, so that the planner finds the matches first and never walks the whole list.
        f"uuid = any(array({' union all '.join(branches)}))",
        text=text,
        words=word_query,
        query=to_like_pattern(text),
        number=number_start,
        beyond=f"{number_start}~" if number_start else "",
        bare_parts=to_part_query(company, bare_text),
        bare_query=f"%{escape_like(bare_text)}%",
        phone_words=f"{company.hex} & ({' | '.join(f'{digits}:*' for digits in phone_numbers)})",
        phone_queries=[f"%{digits}%" for digits in phone_numbers],
    )


def list_phone_numbers(text: str, country: str | None) -> list[str]:
    """List the digits under which a typed phone number may be stored, or part of it."""
    if PHONE.fullmatch(text) is None:
        return []
    digits = re.sub(r"\D", "", text).lstrip("0")
    if len(digits) < MIN_PHONE_DIGITS:
        return []
    spellings = [digits]
    with suppress(ValueError):
        spellings.append(phone.normalise(text, country).removeprefix("+"))
    return list(dict.fromkeys(spellings))


def _list_text_branches(*, has_words: bool) -> list[str]:
    """List the queries for ids, tracking numbers, notes and the customer's name."""

    def match_words(index: str | None) -> str:
        """Return the condition on a word index, which narrows the rows before `ilike`."""
        return f"{index} @@ {WORDS}" if index and has_words else "true"

    customers = " union all ".join(
        f"""(select uuid from {name} where company = :company and {match_words(table.word_index)}
            and (fold_accents(name) ilike fold_accents(:query) or email ilike :query)
            limit {MAX_MATCHES})"""
        for name, table in PEOPLE
    )
    found_customers = f"with found as materialized (select array({customers}) as uuids)"
    return [
        "select uuid from orders where company = :company and public_id = :text",
        _limit_to_newest(
            "order_uuid",
            """select order_uuid from tracking_numbers where company = :company
            and number >= :number and number < :beyond""",
        ),
        _limit_to_newest(
            "uuid",
            f"""select uuid from orders
            where company = :company and {HAS_NOTES} and {match_words(NOTE_WORDS)}
            and (fold_accents(internal_id) ilike fold_accents(:query)
                or fold_accents(notes) ilike fold_accents(:query))""",
        ),
        f"({found_customers} {CUSTOMERS_ORDERS})",
    ]


def _list_part_branches() -> list[str]:
    """List the queries for any part of the order's own number, and of a tracking number."""
    return [
        _limit_to_newest(
            "uuid",
            f"""select uuid from orders where company = :company and internal_id is not null
            and deleted_at is null
            and search_parts(company, {BARE_INTERNAL_ID}) @@ lower(:bare_parts)::tsquery
            and {BARE_INTERNAL_ID} ilike :bare_query""",
        ),
        *map(_search_number_parts, ("subject_type = 'order'", "subject_type <> 'order'")),
    ]


def _search_number_parts(subjects: str) -> str:
    """Return the query for parts of the numbers of orders, or of their items and stops."""
    return _limit_to_newest(
        "order_uuid",
        f"""select order_uuid from tracking_numbers where company = :company
        and {subjects} and deleted_at is null
        and search_parts(company, {BARE_NUMBER}) @@ lower(:bare_parts)::tsquery
        and {BARE_NUMBER} ilike :bare_query""",
    )


def _list_payload_branches() -> list[str]:
    """List the queries for items and addresses."""
    items = f"""select payload from entities where company = :company and deleted_at is null
        and {ENTITIES.word_index} @@ {WORDS}
        and fold_accents(concat_ws(' ', name, sku, internal_id)) ilike fold_accents(:query)
        limit {MAX_MATCHES}"""
    matching_places = f"""select uuid from places where company = :company
        and {places.word_index} @@ {WORDS} limit {MAX_MATCHES}"""
    return [_select_orders(f"({items})"), _select_orders_of_places(matching_places)]


def _list_email_branch() -> str:
    """List the query for the e-mail addresses of contacts at stops."""
    people = f"""select uuid from contacts where company = :company
        and {partners.contacts.word_index} @@ {WORDS} and email ilike :query limit {MAX_MATCHES}"""
    contacts_payloads = _select_newest(
        "payload", "waypoints", "contact = found_uuid and deleted_at is null", ""
    )
    found_people = f"with found as materialized (select array({people}) as uuids)"
    return f"({found_people} {_select_orders(f'({contacts_payloads})')})"


def _list_phone_branches() -> list[str]:
    """List the queries for the phone numbers of customers, of contacts at stops, and of places."""
    people = " union all ".join(
        f"""(select uuid from {name} where company = :company
            and {table.word_index} @@ {PHONE_WORDS} and phone like any(:phone_queries)
            limit {MAX_MATCHES})"""
        for name, table in PEOPLE
    )
    matching_places = f"""select uuid from places where company = :company
        and {places.word_index} @@ {PHONE_WORDS} and phone like any(:phone_queries)
        limit {MAX_MATCHES}"""
    found_people = f"with found as materialized (select array({people}) as uuids)"
    contacts_payloads = _select_newest(
        "payload", "waypoints", "contact = found_uuid and deleted_at is null", ""
    )
    return [
        f"({found_people} {CUSTOMERS_ORDERS})",
        f"({found_people} {_select_orders(f'({contacts_payloads})')})",
        _select_orders_of_places(matching_places),
    ]


def _select_orders_of_places(matching_places: str) -> str:
    """Return the query for the newest orders that lead to places."""
    payloads = " union all ".join(
        [
            _select_newest("uuid", "payloads", "pickup = found_uuid", "order by uuid desc"),
            _select_newest("uuid", "payloads", "dropoff = found_uuid", "order by uuid desc"),
            _select_newest(
                "payload",
                "waypoints",
                "place = found_uuid and deleted_at is null",
                "order by payload desc",
            ),
        ]
    )
    found = f"with found as materialized (select array({matching_places}) as uuids)"
    return f"({found} {_select_orders(f'({payloads})')})"


def _limit_to_newest(column: str, select: str) -> str:
    """Return a query for the newest orders of a select. Ids grow with time.

    It is materialized: otherwise the planner may walk the orders of all companies by id instead.
    """
    return f"""(with matched as materialized ({select})
        select {column} from matched order by {column} desc limit {MAX_ROWS})"""


def _select_newest(column: str, table: str, condition: str, order: str) -> str:
    """Return the query for a column of the newest rows of each found record.

    A depot or a large customer may have millions of rows. Ids grow with time. Without an `order`
    clause, any of them are selected.
    """
    return f"""(select newest.{column}
        from found, unnest(found.uuids) found_uuid, lateral (
            select {column} from {table} where company = :company and {condition}
            {order} limit {MAX_ROWS_PER_RECORD}) newest
        limit {MAX_ROWS})"""


def _select_orders(payloads: str) -> str:
    return f"select uuid from orders where company = :company and payload = any(array{payloads})"


CUSTOMERS_ORDERS: Final = _select_newest(
    "uuid",
    "orders",
    "customer = found_uuid and deleted_at is null",
    "order by created_at desc, uuid desc",
)
