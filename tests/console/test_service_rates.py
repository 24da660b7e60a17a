"""Service rates at the console: every method edited, and a shipment priced while one types."""

from typing import Any

import pytest
from playwright.async_api import Page as Tab

from console.browser import Tabs
from console.reading import Page
from console.seat import Seat
from stage import Firm

HOME = "/console/service-rates"
NAMED = {"service_name": "Same day", "service_type": "express", "currency": "SGD"}
FROM_TO = {
    "try.pickup": "1.2840,103.8510",
    "try.dropoff": "1.3521,103.8198",
    "try.kilometres": "10",
}


async def begun(seat: Seat, method: str, **more: str) -> dict[str, Any]:
    """Fill in the form of a new rate."""
    form = (await seat.open(f"{HOME}/new")).form(f"{HOME}/new")
    return {**form, **NAMED, "rate_calculation_method": method, **more}


async def saved(seat: Seat, form: dict[str, Any]) -> str:
    answer = await seat.send(f"{HOME}/new", form)
    assert answer.status_code == 303, Page(answer.text).main.text
    return str(answer.headers["Location"])


async def only(acme: Firm) -> dict[str, Any]:
    (rate,) = (await acme.api.get("/v1/service-rates")).json()
    told: dict[str, Any] = rate
    return told


async def test_of_many_rows_a_page_shows_some_and_leads_to_the_others(
    acme: Firm, seat: Seat
) -> None:
    fees = [{"min": stops, "max": stops, "fee": 100 * stops} for stops in range(1, 201)]
    rate = {**NAMED, "rate_calculation_method": "per_drop", "drop_fees": fees}
    made = await acme.api.post("/v1/service-rates", json=rate)
    assert made.status_code == 201, made.text
    seen, at = [], f"{HOME}/{made.json()['id']}"
    while at:
        answer = await seat.client.get(at)
        assert len(answer.content) < 100_000
        page = Page(answer.text)
        seen += [row[0] for row in page.rows()]
        (*_, at) = ["", *(link["href"] for link in page.main.all("a", rel="next"))]
    assert seen == [str(stops) for stops in range(1, 201)]


METHODS: list[tuple[str, dict[str, str], dict[str, Any]]] = [
    (
        "per_meter",
        {"base_fee": "5", "per_meter_flat_rate_fee": "0.805", "minimum_fee": "6,50"},
        {"base_fee": 500, "per_meter_flat_rate_fee": 80.5, "minimum_fee": 650},
    ),
    (
        "fixed_rate",
        {"meter_fees[0].distance": "5", "meter_fees[0].fee": "7", "meter_fees[2].distance": "15",
         "meter_fees[2].fee": "11.10", "open_ended": "on"},
        {"meter_fees": [{"distance": 5, "fee": 700}, {"distance": 15, "fee": 1110}],
         "open_ended": True},
    ),
    (
        "per_drop",
        {"drop_fees[0].min": "2", "drop_fees[0].max": "4", "drop_fees[0].fee": "9",
         "drop_fees[1].min": "5", "drop_fees[1].max": "", "drop_fees[1].fee": "15"},
        {"drop_fees": [{"min": 2, "max": 4, "fee": 900}, {"min": 5, "max": None, "fee": 1500}]},
    ),
    (
        "weight",
        {"weight_fees[0].min": "0", "weight_fees[0].max": "2.5", "weight_fees[0].fee": "3",
         "volumetric_divisor": "5000"},
        {"weight_fees": [{"min": 0, "max": 2.5, "fee": 300}], "volumetric_divisor": 5000},
    ),
    (
        "volume",
        {"volume_fees[0].min": "0", "volume_fees[0].max": "1", "volume_fees[0].fee": "20"},
        {"volume_fees": [{"min": 0, "max": 1, "fee": 2000}]},
    ),
    ("algorithm", {"algorithm": "max(300, distance_km * 80)"},
     {"algorithm": "max(300, distance_km * 80)"}),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("method", "typed", "kept"), METHODS)
async def test_a_rate_of_each_method_is_saved_as_it_was_typed(
    acme: Firm, seat: Seat, method: str, typed: dict[str, str], kept: dict[str, Any]
) -> None:
    home = await saved(seat, await begun(seat, method, **typed))
    rate = await only(acme)
    assert {name: rate[name] for name in kept} == kept
    page = await seat.open(home)
    assert page.heading.endswith("Same day")
    form = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    answer = await seat.send(f"{home}/edit", {**form, "service_name": "Next day"})
    assert answer.status_code == 303, Page(answer.text).main.text
    changed = await only(acme)
    assert changed["service_name"] == "Next day"
    assert {name: changed[name] for name in kept} == kept


async def test_a_rate_by_parcels_keeps_its_boxes(acme: Firm, seat: Seat) -> None:
    box = {"size": "Small", "length": "30", "width": "20", "height": "10", "weight": "2",
           "fee": "4.50", "dimensions_unit": "cm", "weight_unit": "kg"}  # fmt: skip
    rows = {f"parcel_fees[0].{name}": value for name, value in box.items()}
    home = await saved(seat, await begun(seat, "parcel", **rows))
    (kept,) = (await only(acme))["parcel_fees"]
    assert (kept["size"], kept["length"], kept["weight"], kept["fee"]) == ("Small", 30, 2, 450)
    assert ["Small", "30 cm", "20 cm", "10 cm", "2 kg", "4.50 SGD"] in (
        await seat.open(home)
    ).rows()


async def test_a_rate_by_zones_names_them_and_everywhere_else(acme: Firm, seat: Seat) -> None:
    area = (
        await acme.api.post(
            "/v1/service-areas",
            json={"name": "City", "location": [103.85, 1.28], "radius": 20000},
        )
    ).json()
    rows = {"zone_fees[0].where": area["id"], "zone_fees[0].priority": "1",
            "zone_fees[0].fee": "1.20", "zone_fees[0].label": "Centre",
            "zone_fees[1].where": "", "zone_fees[1].priority": "0",
            "zone_fees[1].fee": "0.60"}  # fmt: skip
    home = await saved(seat, await begun(seat, "multi_zone_distance", **rows))
    first, second = (await only(acme))["zone_fees"]
    assert (first["service_area"], first["fee"], first["label"]) == (area["id"], 120, "Centre")
    assert (second["service_area"], second["zone"], second["fee"]) == (None, None, 60)
    page = await seat.open(home)
    assert ["Centre", "City", "1", "1.20"] in page.rows()
    assert ["Everywhere else", "0", "0.60"] in [row[1:] for row in page.rows()]


async def test_peaks_cash_and_validity_are_kept_too(acme: Firm, seat: Seat) -> None:
    peaks = {
        "has_peak_hours_fee": "on", "peak_hours_calculation_method": "percentage",
        "peak_hours_percent": "20", "timezone": "Asia/Singapore",
        "peak_windows[0].days": ["mon", "fri"], "peak_windows[0].start": "17:00",
        "peak_windows[0].end": "20:00", "has_cod_fee": "on", "cod_flat_fee": "2",
        "valid_from": "2026-01-01T08:00", "max_weight": "30",
    }  # fmt: skip
    form = await begun(seat, "per_meter", per_meter_flat_rate_fee="0.80")
    home = await saved(seat, {**form, **peaks})
    rate = await only(acme)
    (window,) = rate["peak_windows"]
    assert (window["days"], window["start"], window["end"]) == (["mon", "fri"], "17:00", "20:00")
    assert (rate["cod_flat_fee"], rate["max_weight"]) == (200, 30)
    page = await seat.open(f"{home}/edit")
    days = [one for one in page.root.all("input", name="peak_windows[0].days")
            if "checked" in one.attributes]  # fmt: skip
    assert [one["value"] for one in days] == ["mon", "fri"]


async def test_what_is_switched_off_is_not_judged(acme: Firm, seat: Seat) -> None:
    form = await begun(seat, "per_meter", per_meter_flat_rate_fee="0.80")
    odd = {"meter_fees[0].distance": "far", "meter_fees[0].fee": "x", "peak_hours_start": "25:00"}
    await saved(seat, {**form, **odd})
    assert (await only(acme))["meter_fees"] == []


async def test_rows_are_added_and_taken_away_without_saving(acme: Firm, seat: Seat) -> None:
    rows = {
        f"meter_fees[{at}].{name}": str(at + 1) for at in range(3) for name in ("distance", "fee")
    }
    form = await begun(seat, "fixed_rate", **rows)
    page = await seat.sent(f"{HOME}/new", {**form, "do": "add:meter_fees"})
    assert page.root.one("input", name="meter_fees[3].fee")["value"] == ""
    page = await seat.sent(f"{HOME}/new", {**form, "do": "remove:meter_fees[1]"})
    left = [one["value"] for one in page.root.all("input") if one["name"].startswith("meter_fees[")]
    assert left == ["1", "1", "3", "3"]
    assert (await acme.api.get("/v1/service-rates")).json() == []


async def test_a_shipment_is_priced_line_by_line_before_anything_is_saved(
    acme: Firm, seat: Seat
) -> None:
    form = await begun(seat, "per_meter", base_fee="5", per_meter_flat_rate_fee="0.80")
    page = await seat.sent(f"{HOME}/new", {**form, **FROM_TO, "do": "price"})
    told = page.root.one("div", id="priced").text
    assert "13.00 SGD" in told
    assert "Base fee 5.00 SGD" in told
    assert "10.0 km" in told
    assert (await acme.api.get("/v1/service-rates")).json() == []


@pytest.mark.slow
async def test_why_a_rate_does_not_hold_is_told_before_it_is_saved(seat: Seat) -> None:
    form = await begun(seat, "per_meter", per_meter_flat_rate_fee="0.80", max_distance="3")
    page = await seat.sent(f"{HOME}/new", {**form, **FROM_TO, "do": "price"})
    assert "does not apply" in page.root.one("div", id="priced").text
    bare = await begun(seat, "per_meter")
    page = await seat.sent(f"{HOME}/new", {**bare, **FROM_TO, "do": "price"})
    assert "Fee per unit:" in page.root.one("div", id="priced").text


async def test_a_saved_rate_is_tried_out_on_its_page(seat: Seat) -> None:
    home = await saved(
        seat, await begun(seat, "per_meter", base_fee="5", per_meter_flat_rate_fee="0.80")
    )
    page = await seat.open(f"{home}?pickup=1.2840,103.8510&dropoff=1.3521,103.8198&kilometres=2.5")
    assert "7.00 SGD" in page.root.one("div", id="priced").text
    page = await seat.open(f"{home}?pickup=nowhere&dropoff=1.3521,103.8198")
    assert "Pickup: " in page.root.one("div", id="priced").text


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"base_fee": "five"}, "base_fee"),
        ({"base_fee": "0.005"}, "base_fee"),
        ({"currency": "XXX"}, "currency"),
        ({"valid_from": "2026-02-01T00:00", "valid_until": "2026-01-01T00:00"}, "valid_until"),
        ({"rate_calculation_method": "fixed_rate", "meter_fees[0].distance": "0",
          "meter_fees[0].fee": "1"}, "meter_fees[0].distance"),
    ],
)  # fmt: skip
async def test_what_is_refused_stands_beside_its_field(
    seat: Seat, typed: dict[str, str], field: str
) -> None:
    form = await begun(seat, "per_meter", per_meter_flat_rate_fee="0.80")
    answer = await seat.send(f"{HOME}/new", {**form, **typed})
    assert answer.status_code == 422
    page = Page(answer.text)
    assert page.root.one("input", name=field)["aria-invalid"] == "true"
    assert page.root.one("input", name="service_name")["value"] == "Same day"


async def test_bands_that_overlap_are_told_apart_by_row(seat: Seat) -> None:
    bands = [{"min": "0", "max": "5", "fee": "1"}, {"min": "4", "max": "9", "fee": "2"}]
    rows = {
        f"weight_fees[{at}].{name}": value
        for at, band in enumerate(bands)
        for name, value in band.items()
    }
    answer = await seat.send(f"{HOME}/new", await begun(seat, "weight", **rows))
    wrong = Page(answer.text).root.one("input", name="weight_fees[1].min")
    assert wrong["aria-invalid"] == "true"
    assert "overlaps" in Page(answer.text).main.text


async def test_who_may_not_change_rates_looks_and_tries(acme: Firm, seat: Seat) -> None:
    home = await saved(seat, await begun(seat, "per_meter", per_meter_flat_rate_fee="0.80"))
    dispatcher = await Seat.of(acme, "dispatcher")
    page = await dispatcher.open(home)
    assert f"{home}/edit" not in page.links()
    assert page.root.all("div", id="priced")
    assert not (await (await Seat.of(acme, "viewer")).open(home)).root.all("div", id="priced")
    answer = await dispatcher.send(f"{home}/edit", {"service_name": "Mine"})
    assert answer.status_code == 403
    assert "This requires the admin role" in answer.text
    log = (await acme.admin.get("/int/v1/audit")).json()["data"]
    assert [one["actor_type"] for one in log if one["subject"].startswith("service_")] == [
        "operator"
    ]


@pytest.mark.slow
async def test_a_rate_is_made_in_the_browser_and_priced_while_one_types(
    page: Tab, acme: Firm
) -> None:
    await page.goto(f"{HOME}/new")
    await page.fill("#f-service_name", "Tiers")
    await page.fill("#f-service_type", "standard")
    await page.fill("#f-currency", "SGD")
    await page.get_by_role("radio", name="Fixed").check()
    await page.fill("[name='meter_fees[0].distance']", "5")
    await page.fill("[name='meter_fees[0].fee']", "7")
    await page.get_by_role("button", name="Add band").click()
    await page.fill("[name='meter_fees[1].distance']", "20")
    await page.fill("[name='meter_fees[1].fee']", "16")
    await page.fill("[name='try.pickup']", "1.2840,103.8510")
    await page.fill("[name='try.dropoff']", "1.3521,103.8198")
    await page.fill("[name='try.kilometres']", "12")
    await page.locator("#priced .amount", has_text="16.00 SGD").wait_for()
    await page.get_by_role("button", name="Save").last.click()
    await page.wait_for_url(f"**{HOME}/service_*")
    assert len((await only(acme))["meter_fees"]) == 2


async def test_a_rate_is_for_customers_and_price_groups(acme: Firm, seat: Seat) -> None:
    ada = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    form = await begun(
        seat, "fixed_rate", base_fee="5",
        **{"customers[0].customer": "Ada", "price_groups": "gold\nwholesale"},
    )  # fmt: skip
    home = await saved(seat, form)
    rate = await only(acme)
    assert (rate["customers"], rate["price_groups"]) == ([ada["id"]], ["gold", "wholesale"])
    page = await seat.open(home)
    assert f"/console/contacts/{ada['id']}" in page.links()
    assert "wholesale" in page.main.text
    editor = (await seat.open(f"{home}/edit")).form(f"{home}/edit")
    assert editor["customers[0].customer"] == "Ada"
    sent = await seat.send(f"{home}/edit", {**editor, "customers[0].customer": ""})
    assert sent.status_code == 303
    assert (await only(acme))["customers"] == []


async def test_the_calculator_prices_for_a_customer(acme: Firm, seat: Seat) -> None:
    ada = (await acme.api.post("/v1/contacts", json={"name": "Ada"})).json()
    rate = {**NAMED, "rate_calculation_method": "fixed_rate", "customers": [ada["id"]]}
    made = (await acme.api.post("/v1/service-rates", json=rate)).json()
    way = {"pickup": "1.2840,103.8510", "dropoff": "1.3521,103.8198"}
    for customer, told in (("", "customer_differs"), ("Ada", "Total")):
        query = {**way, "customer": customer}
        answer = await seat.client.get(f"{HOME}/{made['id']}", params=query)
        assert told in Page(answer.text).main.text


async def test_surcharges_are_edited_row_by_row(acme: Firm, seat: Seat) -> None:
    rows = {
        "surcharges[0].kind": "fuel", "surcharges[0].name": "Fuel", "surcharges[0].percent": "8,5",
        "surcharges[1].kind": "holiday", "surcharges[1].name": "Holiday",
        "surcharges[1].flat_fee": "3", "surcharges[1].dates": "2026-12-25\n2026-12-26",
        "surcharges[2].kind": "oversize", "surcharges[2].name": "Large items",
        "surcharges[2].flat_fee": "4.50", "surcharges[2].over_length": "120",
    }  # fmt: skip
    form = await begun(seat, "fixed_rate", base_fee="10", **rows)
    place = await saved(seat, form)
    fuel, holiday, large = (await only(acme))["surcharges"]
    assert (fuel["kind"], fuel["percent"]) == ("fuel", 8.5)
    assert (holiday["flat_fee"], holiday["dates"]) == (300, ["2026-12-25", "2026-12-26"])
    assert (large["flat_fee"], large["over_length"]) == (450, 120)
    page = await seat.open(place)
    (row,) = [row for row in page.rows() if row[0] == "Holiday"]
    assert {"3.00 SGD", "Anywhere", "2026-12-25, 2026-12-26"} <= set(row)
    editing = (await seat.open(f"{place}/edit")).form(f"{place}/edit")
    refused = await seat.send(f"{place}/edit", {**editing, "surcharges[1].dates": ""})
    assert refused.status_code == 422
    assert "required by the kind" in Page(refused.text).main.text
    again = await seat.send(f"{place}/edit", {**editing, "surcharges[0].percent": "9"})
    assert again.status_code == 303
    assert [each["percent"] for each in (await only(acme))["surcharges"]] == [9, None, None]


@pytest.mark.slow
async def test_the_form_of_a_rate_fits_a_phone(browse: Tabs) -> None:
    page = await browse(phone=True, maps=False)
    await page.goto(f"{HOME}/new")
    wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert await page.evaluate(wide) == 0
