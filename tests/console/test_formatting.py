"""Values on the console's pages: addresses, numbers and the time that is left."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from jinja2 import Environment

from pannier.console.code_spans import render_code_spans
from pannier.console.formatting import FILTERS, format_number, format_reading
from pannier.console.record_urls import shorten_id

NOW = datetime(2026, 11, 19, 5, 30, tzinfo=UTC)
CLINIC = {"address": "Bulevardi 14, 00120 Helsinki, FI", "country": "FI"}


class Zone:
    """A company's time zone, as pages have it."""

    info = UTC


def render(filter_name: str, value: Any, **context: Any) -> str:
    environment = Environment(autoescape=True)
    environment.filters.update(FILTERS)
    return environment.from_string(f"{{{{ value | {filter_name} }}}}").render(
        value=value, **context
    )


@pytest.mark.parametrize(
    ("place", "country", "address"),
    [
        (CLINIC, "FI", "Bulevardi 14, 00120 Helsinki"),
        (CLINIC, "SE", "Bulevardi 14, 00120 Helsinki, FI"),
        ({"address": "60.17, 24.94"}, "FI", "60.17, 24.94"),
    ],
)
def test_an_address_omits_the_companys_country(
    place: dict[str, Any], country: str, address: str
) -> None:
    company = {"settings": {"country": country}}
    assert render("address_line", place, company=company) == address


def test_numbers_have_no_trailing_zeros() -> None:
    assert [format_number(number) for number in (3.0, 2.5, 1_234_567)] == ["3", "2.5", "1234567"]


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("transaction_6QdXr1MtL8zKpW4c", "Transaction pW4c"),
        ("sa_6QdXr1MtL8zKpW4c", "Service area pW4c"),
        ("order_2041", "order_2041"),
        ("view_6QdXr1MtL8zKpW4c", "View pW4c"),
        ("proof_of_delivery_abcdefghijklmnop", "proof_of_delivery_abcdefghijklmnop"),
        ("Ada_Lovelace", "Ada_Lovelace"),
    ],
)
def test_a_record_without_a_name_has_a_short_form_of_its_id(text: str, label: str) -> None:
    assert shorten_id(text) == label


def test_negative_readings_keep_their_sign() -> None:
    assert format_reading(-84, "signal_strength") == "-84 dBm"
    assert format_reading(-5, "temperature") == "-5 °C"


@pytest.mark.parametrize(
    ("seconds", "text"), [(1_769, "29 min"), (45, "45 s"), (7_300, "2 h"), (0, "expired")]
)
def test_the_time_left_is_in_minutes_and_in_seconds_only_at_the_end(
    seconds: int, text: str
) -> None:
    end = (NOW + timedelta(seconds=seconds)).isoformat()
    assert f">{text}<" in render("until", end, now=NOW)


def test_names_between_backticks_are_code_and_all_else_is_text() -> None:
    text = "Report the `request_id` & `<b>`, not ` alone."
    assert render_code_spans(text) == (
        "Report the <code>request_id</code> &amp; <code>&lt;b&gt;</code>, not ` alone."
    )


@pytest.mark.parametrize(
    ("start", "end", "text"),
    [
        ("2026-11-19T13:00:00Z", "2026-11-19T15:30:00Z", "13:00\N{EN DASH}15:30"),
        ("2026-11-21T13:00:00Z", "2026-11-21T15:30:00Z", "21 Nov, 13:00\N{EN DASH}15:30"),
        ("2026-11-19T22:00:00Z", "2026-11-20T02:00:00Z", "22:00 \N{EN DASH} 20 Nov, 02:00"),
        ("2026-11-21T13:00:00Z", None, "from 21 Nov, 13:00"),
        (None, "2026-11-19T15:30:00Z", "by 15:30"),
    ],
)
def test_a_time_window_has_its_hours_on_every_day(
    start: str | None, end: str | None, text: str
) -> None:
    assert render("window(end)", start, end=end, zone=Zone, now=NOW) == text


def test_a_countdown_that_has_ended_has_no_prefix() -> None:
    ahead, past = ("2026-11-19T05:35:00Z", "2026-11-19T05:29:00Z")
    found = render("until('in ')", ahead, now=NOW)
    assert found.endswith(">in 5 min</time>")
    assert 'data-prefix="in "' in found
    assert render("until('in ')", past, now=NOW).endswith(">expired</time>")
