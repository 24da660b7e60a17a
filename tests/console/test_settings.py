"""Settings and storefronts at the console."""

from typing import Any

import pytest

from console.reading import Page, sent_by
from console.seat import Seat
from proofs.making import png
from stage import Firm


def part(page: Page, name: str) -> dict[str, Any]:
    """What the form of a part would send as it stands."""
    return sent_by(page.main.one("form", id=name))


async def settings(firm: Firm) -> dict[str, Any]:
    found: dict[str, Any] = (await firm.admin.get("/int/v1/settings")).json()
    return found


async def test_only_what_was_typed_anew_is_set(acme: Firm, seat: Seat) -> None:
    form = part(await seat.open("/console/settings/codes"), "codes")
    page = await seat.sent("/console/settings/codes", {**form, "codes.sends_per_hour": "7"})
    assert "Codes and SMS saved." in page.root.one("div", id="toasts").text
    found = await settings(acme)
    assert found["given"] == ["codes.sends_per_hour"]
    assert found["codes"]["sends_per_hour"] == 7
    log = (await acme.admin.get("/int/v1/audit?action=company.changed")).json()["data"]
    assert log[0]["actor_type"] == "operator"


async def test_what_is_emptied_goes_back_to_the_default(acme: Firm, seat: Seat) -> None:
    change = {"codes": {"sends_per_hour": 7, "countries": ["SG"]}}
    await acme.admin.patch("/int/v1/settings", json=change)
    form = part(await seat.open("/console/settings/codes"), "codes")
    empty = {"codes.sends_per_hour": "", "codes.countries": ""}
    await seat.sent("/console/settings/codes", {**form, **empty})
    assert (await settings(acme))["given"] == []


async def test_zone_currency_and_country_are_chosen_from_lists(acme: Firm, seat: Seat) -> None:
    page = await seat.open("/console/settings")
    form, card = part(page, "company"), page.main.one("form", id="company")
    offered = {
        name: [one["value"] for one in card.one("select", name=name).all("option")]
        for name in ("time_zone", "currency", "country")
    }
    assert "Europe/Helsinki" in offered["time_zone"]
    assert {"EUR", "JPY"} <= set(offered["currency"])
    assert "FI" in offered["country"]
    chosen = {"time_zone": "Europe/Helsinki", "currency": "EUR", "country": "FI"}
    await seat.sent("/console/settings/company", {**form, **chosen})
    found = await settings(acme)
    assert {name: found[name] for name in chosen} == chosen


async def test_the_language_is_chosen_and_another_tag_stays(acme: Firm, seat: Seat) -> None:
    page = await seat.open("/console/settings")
    languages = page.main.one("form", id="company").one("select", name="locale").all("option")
    assert [one["value"] for one in languages if one["value"]] == ["en", "de", "fr", "es"]
    await seat.sent("/console/settings/company", {**part(page, "company"), "locale": "de"})
    assert (await settings(acme))["locale"] == "de"
    await acme.admin.patch("/int/v1/settings", json={"locale": "de-AT"})
    form = part(await seat.open("/console/settings"), "company")
    await seat.sent("/console/settings/company", {**form, "name": "Acme again"})
    assert (await settings(acme))["locale"] == "de-AT"


async def test_weekdays_are_checked_and_none_is_the_default(acme: Firm, seat: Seat) -> None:
    form = part(await seat.open("/console/settings"), "recipients")
    assert form["recipients.weekdays"] == ["", "mon", "tue", "wed", "thu", "fri", "sat"]
    days = {"recipients.weekdays": ["", "fri", "mon"]}
    await seat.sent("/console/settings/recipients", {**form, **days})
    assert (await settings(acme))["recipients"]["weekdays"] == ["mon", "fri"]
    form = part(await seat.open("/console/settings"), "recipients")
    assert form["recipients.weekdays"] == ["", "mon", "fri"]
    # A form that does not have the field leaves it unchanged.
    await seat.sent("/console/settings/recipients", {"recipients.near_minutes": "12"})
    assert (await settings(acme))["recipients"]["weekdays"] == ["mon", "fri"]
    form = part(await seat.open("/console/settings"), "recipients")
    await seat.sent("/console/settings/recipients", {**form, "recipients.weekdays": ""})
    found = await settings(acme)
    assert found["given"] == ["recipients.near_minutes"]
    assert found["recipients"]["weekdays"] == ["mon", "tue", "wed", "thu", "fri", "sat"]


async def test_a_zone_that_is_not_in_the_list_stays(acme: Firm, seat: Seat) -> None:
    await acme.admin.patch("/int/v1/settings", json={"time_zone": "Asia/Calcutta"})
    form = part(await seat.open("/console/settings"), "company")
    await seat.sent("/console/settings/company", {**form, "currency": "INR"})
    found = await settings(acme)
    assert (found["time_zone"], found["currency"]) == ("Asia/Calcutta", "INR")


async def send_logo(seat: Seat, content: bytes, name: str) -> Page:
    """Choose a file as the logo, and save the brand as a browser does."""
    form = part(await seat.open("/console/settings"), "branding")
    del form["branding.logo"]
    answer = await seat.client.post(
        "/console/settings/branding",
        data=form,
        files={"branding.logo": (name, content)},
        follow_redirects=True,
    )
    return Page(answer.text)


async def test_a_logo_is_uploaded_shown_and_removed(acme: Firm, seat: Seat) -> None:
    page = await send_logo(seat, png(), "logo.png")
    assert "Brand and senders saved." in page.root.one("div", id="toasts").text
    logo = (await settings(acme))["branding"]["logo"]
    assert logo.startswith("file_")
    shown = page.main.one("img", alt="Logo")["src"]
    assert (await seat.client.get(shown)).headers["content-type"] == "image/png"
    await send_logo(seat, b"", "")
    assert (await settings(acme))["branding"]["logo"] == logo
    form = part(await seat.open("/console/settings"), "branding")
    await seat.sent("/console/settings/branding", {**form, "branding.logo~remove": "on"})
    assert (await settings(acme))["branding"]["logo"] is None


async def test_a_logo_is_a_picture(acme: Firm, seat: Seat) -> None:
    page = await send_logo(seat, b"just words", "logo.txt")
    assert "Choose a PNG, JPEG or WebP picture." in page.main.text
    assert (await settings(acme))["given"] == []
    assert (await acme.api.get("/v1/files")).json() == []


@pytest.mark.slow
async def test_nothing_typed_changes_nothing(acme: Firm, seat: Seat) -> None:
    for name in ("company", "orders", "billing", "invoices", "codes", "retention", "branding"):
        page = await seat.open(f"/console/settings/{name}")
        led = await seat.sent(f"/console/settings/{name}", part(page, name))
        assert "No changes." in led.root.one("div", id="toasts").text, name
    assert (await settings(acme))["given"] == []


async def test_old_links_to_a_section_lead_to_its_page(seat: Seat) -> None:
    page = await seat.open("/console/settings")
    for name in ("billing", "invoices", "codes"):
        url = page.main.one("a", id=name)["href"]
        assert (await seat.open(url.partition("#")[0])).main.one("form", id=name)
    assert (await seat.open("/console/settings/company")).main.one("form", id="company")
    await seat.open("/console/settings/nothing", 404)


async def test_the_pages_of_settings_stay_small(seat: Seat) -> None:
    for path in ("", "/billing", "/codes"):
        assert len((await seat.client.get(f"/console/settings{path}")).content) < 80_000, path


async def test_what_is_refused_stands_beside_its_field_and_the_rest_is_shown_as_it_is(
    acme: Firm, seat: Seat
) -> None:
    form = part(await seat.open("/console/settings"), "retention")
    answer = await seat.send("/console/settings/retention", {**form, "retention.events": "never"})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.main.one("input", name="retention.events")["value"] == "never"
    assert page.main.one("input", name="retention.events")["aria-invalid"] == "true"
    assert page.main.one("input", name="name")["value"] == acme.company.name


async def test_a_viewer_reads_the_settings_and_saves_none(acme: Firm) -> None:
    viewer = await Seat.of(acme, "viewer")
    page = await viewer.open("/console/settings")
    assert not [button for button in page.main.all("button") if button.text.startswith("Save")]
    refused = await viewer.sent("/console/settings/company", {"name": "Mine"})
    assert "This requires the billing role" in refused.main.text
    assert (await settings(acme))["name"] == acme.company.name


async def test_billing_saves_fees_and_no_other_settings(acme: Firm) -> None:
    seat = await Seat.of(acme, "billing")
    page = await seat.open("/console/settings/billing")
    editable = [
        form["id"] for form in page.root.all("form") if form.all("button", class_="primary")
    ]
    assert [name for name in editable if name] == ["billing", "invoices"]
    await seat.sent("/console/settings/billing", {"return_fee": "50%"})
    refused = await seat.sent("/console/settings/company", {"country": "SG"})
    assert "Only an admin can change these settings" in refused.main.text
    settings = (await acme.admin.get("/int/v1/settings")).json()
    assert (settings["return_fee"], settings["country"]) == ("50%", None)


@pytest.mark.parametrize(
    ("currency", "typed", "saved", "shown"),
    [
        ("SGD", "4,50", 450, "4.50"),
        ("JPY", "450", 450, "450"),
        ("KWD", "4.505", 4505, "4.505"),
        ("SGD", "12,5 %", "12.5%", "12.5%"),
        (None, "450", 450, "450"),
    ],
)
async def test_fees_are_typed_in_the_companys_currency(
    acme: Firm, seat: Seat, currency: str | None, typed: str, saved: int | str, shown: str
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"currency": currency})
    form = part(await seat.open("/console/settings/billing"), "billing")
    fees = {"return_fee": typed, "cancellation_fees.started": typed}
    await seat.sent("/console/settings/billing", {**form, **fees})
    found = await settings(acme)
    assert (found["return_fee"], found["cancellation_fees"]["started"]) == (saved, saved)
    form = part(await seat.open("/console/settings/billing"), "billing")
    assert (form["return_fee"], form["cancellation_fees.started"]) == (shown, shown)
    page = await seat.sent("/console/settings/billing", form)
    assert "No changes." in page.root.one("div", id="toasts").text


async def test_prices_and_taxes_are_set_and_reset(acme: Firm, seat: Seat) -> None:
    form = part(await seat.open("/console/settings/billing"), "billing")
    typed = {
        "price_changes": "refuse", "cancellation_refund": "automatic",
        "prices_include_tax": "false", "tax_rate": "25,5", "tax_rounding": "document",
        "tax_number": "FI12345678",
    }  # fmt: skip
    await seat.sent("/console/settings/billing", {**form, **typed})
    found = await settings(acme)
    assert {name: found[name] for name in typed} == {
        **typed, "prices_include_tax": False, "tax_rate": 25.5,
    }  # fmt: skip
    form = part(await seat.open("/console/settings/billing"), "billing")
    assert form["prices_include_tax"] == "false"
    await seat.sent("/console/settings/billing", {**form, **dict.fromkeys(typed, "")})
    assert (await settings(acme))["given"] == []


async def test_the_seller_on_invoices_is_set_by_billing(acme: Firm) -> None:
    seat = await Seat.of(acme, "billing")
    form = part(await seat.open("/console/settings/invoices"), "invoices")
    assert (form["invoice_prefix"], form["payment_terms_days"]) == ("INV-", "14")
    typed = {"legal_name": "Acme Oy", "billing_address.city": "Helsinki",
             "iban": "FI21 1234 5600 0007 85", "payment_terms_days": "30"}  # fmt: skip
    await seat.sent("/console/settings/invoices", {**form, **typed})
    found = await settings(acme)
    assert (found["legal_name"], found["billing_address"]["city"]) == ("Acme Oy", "Helsinki")
    assert (found["iban"], found["payment_terms_days"]) == ("FI2112345600000785", 30)
    form = part(await seat.open("/console/settings/invoices"), "invoices")
    await seat.sent("/console/settings/invoices", {**form, **dict.fromkeys(typed, "")})
    assert (await settings(acme))["given"] == []


async def test_a_store_may_require_payment_and_cancels_unpaid_orders(
    acme: Firm, seat: Seat
) -> None:
    await acme.admin.patch("/int/v1/settings", json={"dispatch_requires": "price"})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    home = f"/console/storefronts/{store['id']}"
    page = await seat.open(f"{home}/edit")
    assert "As the company: An accepted quote" in page.main.text
    own = {"settings.dispatch_requires": "payment", "settings.unpaid_order_minutes": "60"}
    page = await seat.sent(f"{home}/edit", {**page.sheet(), **own})
    assert "Required before dispatch Payment" in page.main.text
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    settings_of_store = store["settings"]
    assert settings_of_store["dispatch_requires"] == "payment"
    assert settings_of_store["unpaid_order_minutes"] == 60


async def test_a_storefront_shows_what_the_company_says_of_codes(acme: Firm, seat: Seat) -> None:
    codes = {"sends_per_day": 7, "countries": ["MY", "SG"]}
    await acme.admin.patch("/int/v1/settings", json={"codes": codes})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    home = f"/console/storefronts/{store['id']}"
    page = await seat.open(f"{home}/edit")
    limits = [name for name in page.sheet() if name.startswith("settings.codes.")]
    assert len(limits) == 13
    assert page.main.one("input", name="settings.codes.sends_per_day")["placeholder"] == "7"
    assert page.main.one("textarea", name="settings.codes.countries")["placeholder"] == "MY\nSG"


async def test_a_storefront_has_limits_of_its_own_until_they_are_emptied(
    acme: Firm, seat: Seat
) -> None:
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    home = f"/console/storefronts/{store['id']}"
    own = {"settings.codes.sends_per_day": "3", "settings.codes.countries": "SG\nMY"}
    await seat.sent(f"{home}/edit", {**(await seat.open(f"{home}/edit")).sheet(), **own})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    assert store["settings"]["codes"]["sends_per_day"] == 3
    assert set(store["settings"]["codes"]["countries"]) == {"SG", "MY"}
    form = (await seat.open(f"{home}/edit")).sheet()
    assert form["settings.codes.sends_per_day"] == "3"
    await seat.sent(f"{home}/edit", {**form, **dict.fromkeys(own, "")})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    codes = store["settings"]["codes"] or {}
    assert (codes.get("sends_per_day"), codes.get("countries")) == (None, None)


async def test_a_storefront_is_set_up_with_its_providers(acme: Firm, seat: Seat) -> None:
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    home = f"/console/storefronts/{store['id']}"
    assert "/console/storefronts/new" not in (await seat.open("/console/storefronts")).links()
    form = (await seat.open(f"{home}/edit")).sheet()
    told = {
        "name": "Acme shop", "settings.orders": "on", "providers.c.app_id": "1234567890",
        "providers.c.app_secret": "0f3a9c", "providers.a.audiences": "com.example.shop",
    }  # fmt: skip
    await seat.sent(f"{home}/edit", {**form, **told})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    assert store["name"] == "Acme shop"
    assert store["settings"]["orders"] is True
    assert store["providers"]["a"]["audiences"] == ["com.example.shop"]
    assert store["providers"]["b"] is None
    assert store["providers"]["c"]["has_app_secret"] is True
    # What is sealed stays when something else is changed.
    form = (await seat.open(f"{home}/edit")).sheet()
    await seat.sent(f"{home}/edit", {**form, "providers.a.audiences": ""})
    (store,) = (await acme.admin.get("/int/v1/storefronts")).json()["data"]
    assert store["providers"]["a"] is None
    assert store["providers"]["c"]["has_app_secret"] is True
    page = await seat.open(home)
    assert "app secret set" in page.main.text
    assert "0f3a9c" not in page.main.text
