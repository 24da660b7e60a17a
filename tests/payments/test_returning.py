"""Where a payer comes back to: never an address that somebody else chose."""

import pytest

from pannier.payments.return_urls import add_outcome, get_origin, validate_return_url

ORIGINS = ["https://shop.example.com", "https://pay.example.com:8443"]


@pytest.mark.parametrize(
    "url",
    ["https://shop.example.com", "https://SHOP.example.com:443/a?b#c", "https://pay.example.com:8443/"],
)  # fmt: skip
def test_a_shops_customers_come_back_to_its_own_pages(url: str) -> None:
    assert validate_return_url(url, "live", ORIGINS) == url


@pytest.mark.parametrize(
    "url",
    [
        "https://evil.example.com/", "https://shop.example.com.evil.example.com/",
        "https://shop.example.com@evil.example.com/", "https://shop.example.com:8443/",
        "https://pay.example.com/", "http://shop.example.com/", "https://shop.example.com\t.evil/",
        "https://[::1", "https://shop.example.com:port/", "https:shop.example.com",
    ],
)  # fmt: skip
def test_nobody_is_led_elsewhere(url: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        validate_return_url(url, "live", ORIGINS)


@pytest.mark.parametrize(
    "url", ["https://shop.example.com:99999/", "https://shop.example.com:port/", "https://[::1"]
)
def test_an_address_that_no_browser_opens_is_refused_whoever_names_it(url: str) -> None:
    with pytest.raises(ValueError, match="https://"):
        validate_return_url(url, "live")


def test_a_page_with_a_port_that_there_is_not_keeps_nobody_from_the_stores_others() -> None:
    named = ["https://shop.example.com:99999", *ORIGINS]
    assert (
        validate_return_url("https://shop.example.com/", "live", named)
        == "https://shop.example.com/"
    )


def test_a_store_that_names_no_pages_leads_nowhere() -> None:
    with pytest.raises(ValueError, match="return_origins"):
        validate_return_url("https://shop.example.com/", "live", [])


def test_this_machine_will_do_in_test_mode_only() -> None:
    assert validate_return_url("http://127.0.0.1:3000/back", "test")
    assert validate_return_url("http://localhost/back", "test")
    with pytest.raises(ValueError, match="https"):
        validate_return_url("http://127.0.0.1:3000/back", "live")


def test_what_came_of_it_is_added_to_the_address() -> None:
    told = add_outcome("https://shop.example.com/a?b=1#c", "transaction_1", "done")
    assert told == "https://shop.example.com/a?b=1&transaction=transaction_1&checkout=done#c"
    assert get_origin(told) == "https://shop.example.com"
