"""Rates: saved when a price can be found with them, versioned, listed, let go."""

from typing import Any
from uuid import UUID

import pytest

from pannier.rates import queries
from probe import paths, refused
from rates import counter
from stage import Firm, House


async def test_a_rate_is_kept_in_one_form(acme: Firm) -> None:
    zone = await counter.zone(acme, counter.square(99.9, -0.1, 0.5))
    vendor = await counter.make(acme, "vendors", {"name": "Wheels"})
    made = await counter.rate(
        acme,
        **{**counter.BY_KILOMETRE, "currency": "sgd"},
        zone=zone["uuid"],
        facilitator=vendor["id"],
        order_config="transport",
        max_weight="30.50",
        timezone="Asia/Singapore",
        meta={"tariff": 7},
    )
    assert made["id"].startswith("service_")
    assert (made["currency"], made["zone"], made["facilitator"]) == (
        "SGD", zone["id"], vendor["id"],
    )  # fmt: skip
    assert (made["max_weight"], made["per_meter_flat_rate_fee"], made["version"]) == (30.5, 80, 1)
    assert made["order_config"].startswith("order_config_")
    answer = await acme.api.get(f"/v1/service-rates/{made['uuid']}")
    assert answer.json() == made
    assert answer.headers["etag"] == '"1"'
    assert (await acme.api.get("/v1/service-rates")).json() == [made]
    listed = (await acme.admin.get("/int/v1/service-rates")).json()
    assert listed["data"] == [made]


async def test_windows_cost_more_unless_it_is_said_that_they_do_not(acme: Firm) -> None:
    windows = {"peak_windows": [{"start": "00:00", "end": "00:00", "flat_fee": 100}]}
    meant = await counter.rate(acme, **windows)
    assert meant["has_peak_hours_fee"] is True
    idle = await counter.rate(acme, **windows, has_peak_hours_fee=False)
    assert idle["has_peak_hours_fee"] is False
    assert [quote["amount"] for quote in await counter.ask(acme.api)] == [500, 600]


async def test_every_edit_is_a_version_and_all_of_them_are_kept(acme: Firm, house: House) -> None:
    made = await counter.rate(acme, **counter.BY_KILOMETRE)
    path = f"/v1/service-rates/{made['id']}"
    for sent in ({"base_fee": 700}, {"base_fee": 700}, {"per_meter_flat_rate_fee": "80.25"}):
        assert (await acme.api.patch(path, json=sent)).status_code == 200
    (quote,) = await counter.ask(acme.api)
    assert quote["service_rate_version"] == 3
    async with house.database.reading() as db:
        kept = [await queries.get_version(db, acme.uuid, UUID(made["uuid"]), n) for n in (1, 2, 3)]
    assert [rate.base_fee for rate in kept] == [500, 700, 700]
    assert [str(rate.per_meter_flat_rate_fee) for rate in kept] == ["80", "80", "80.25"]


@pytest.mark.parametrize(
    ("wish", "path"),
    [
        ({"currency": "ABC"}, "currency"),
        ({"timezone": "Mars/Olympus"}, "timezone"),
        ({"rate_calculation_method": "per_meter"}, "per_meter_flat_rate_fee"),
        (
            {
                "rate_calculation_method": "parcel",
                "parcel_fees": [
                    {"size": "S" * 101, "length": 1, "width": 1, "height": 1, "fee": 1}
                ],
            },
            "parcel_fees[0].size",
        ),
        ({"rate_calculation_method": "guess"}, "rate_calculation_method"),
        ({"min_weight": 5, "max_weight": 4}, "max_weight"),
        ({"max_weight": "NaN"}, "max_weight"),
        ({"max_weight": "1E+1000000"}, "max_weight"),
        ({"base_fee": -1}, "base_fee"),
        ({"base_fee": 1.5}, "base_fee"),
        ({"rate_calculation_method": "algorithm", "algorithm": "1 / weight_kg"}, "algorithm"),
        ({"meta": {"a": "x" * 16384}}, "meta"),
    ],
)
async def test_a_rate_that_could_not_find_a_price_is_refused_by_its_field(
    acme: Firm, house: House, wish: dict[str, Any], path: str
) -> None:
    answer = await acme.api.post("/v1/service-rates", json={**counter.FLAT, **wish})
    assert path in paths(answer)
    assert await house.value("select count(*) from service_rates") == 0


async def test_an_edit_is_judged_with_what_it_leaves_as_it_is(acme: Firm) -> None:
    made = await counter.rate(acme, min_stops=3)
    answer = await acme.api.patch(f"/v1/service-rates/{made['id']}", json={"max_stops": 2})
    assert paths(answer) == ["max_stops"]


async def test_what_a_rate_names_must_be_there(acme: Firm, rival: Firm) -> None:
    theirs = await counter.zone(rival, counter.square(0, 0, 1))
    for name, wish in (
        ("zone", {"zone": theirs["id"]}),
        ("service_area", {"service_area": theirs["service_area"]}),
        ("facilitator", {"facilitator": "vendor_0000000000000000"}),
        ("order_config", {"order_config": "unheard-of"}),
        ("zone_fees[0].zone", {"zone_fees": [{"zone": theirs["id"], "fee": 1}]}),
    ):
        answer = await acme.api.post("/v1/service-rates", json={**counter.FLAT, **wish})
        assert refused(answer, 404, "not_found")["fields"][0]["path"] == name


async def test_existing_clients_names_of_methods_are_understood(acme: Firm) -> None:
    made = await counter.rate(acme, rate_calculation_method="fixed_meter")
    assert made["rate_calculation_method"] == "fixed_rate"
    made = await counter.rate(acme, rate_calculation_method="algo", algorithm="stops * 100")
    assert made["rate_calculation_method"] == "algorithm"


async def test_operators_look_and_admins_change(acme: Firm) -> None:
    made = await counter.rate(acme)
    viewer = await acme.operator("viewer")
    assert (await viewer.get(f"/int/v1/service-rates/{made['id']}")).json() == made
    body = {"base_fee": 600}
    refused(await viewer.patch(f"/int/v1/service-rates/{made['id']}", json=body), 403, "forbidden")
    changed = await acme.admin.patch(f"/int/v1/service-rates/{made['id']}", json=body)
    assert (changed.json()["base_fee"], changed.json()["version"]) == (600, 2)
    entries = (await acme.admin.get("/int/v1/audit?action=service_rate.changed")).json()["data"]
    assert [(each["before"], each["after"]) for each in entries] == [
        ({"base_fee": 500}, {"base_fee": 600})
    ]


async def test_rates_are_listed_by_what_they_say(acme: Firm) -> None:
    zone = await counter.zone(acme, counter.square(0, 0, 1))
    await counter.rate(acme, service_name="B", zone=zone["id"], public=True)
    await counter.rate(acme, service_name="A", service_type="express", currency="EUR")
    for query, names in (
        ("", ["A", "B"]),
        ("sort=-service_name", ["B", "A"]),
        (f"zone={zone['id']}", ["B"]),
        (f"service_area={zone['service_area']}", []),
        ("currency=eur", ["A"]),
        ("service_type=express", ["A"]),
        ("public=true", ["B"]),
        ("query=b", ["B"]),
    ):
        rows = (await acme.api.get(f"/v1/service-rates?{query}")).json()
        assert [row["service_name"] for row in rows] == names, query


async def test_a_deleted_rate_and_a_rate_of_a_deleted_zone_have_no_price(acme: Firm) -> None:
    zone = await counter.zone(acme, counter.square(99.9, -0.1, 0.5))
    gone = await counter.rate(acme, service_name="Gone")
    await counter.rate(acme, service_name="Zoned", zone=zone["id"], base_fee=600)
    assert await counter.names(acme) == ["Gone", "Zoned"]
    await acme.api.delete(f"/v1/service-rates/{gone['id']}")
    assert await counter.names(acme) == ["Zoned"]
    await acme.api.delete(f"/v1/zones/{zone['id']}")
    assert await counter.names(acme) == []


async def test_a_preview_shows_each_line_and_why(acme: Firm) -> None:
    made = await counter.rate(acme, **counter.BY_KILOMETRE)
    await counter.rate(acme, service_name="Cash only", max_stops=1)
    way = {"pickup": counter.CENTRE, "dropoff": counter.EAST, "distance": 9321, "time": 60}
    for client, path in ((acme.api, "/v1"), (await acme.operator("dispatcher"), "/int/v1")):
        told = (await client.post(f"{path}/service-rates/preview", json=way)).json()
        assert (told["distance"], told["source"], told["stops"]) == (9321, "given", 2)
        priced, other = told["rates"]
        assert [line["amount"] for line in priced["items"]] == [500, 746]
        assert (priced["matches"], priced["amount"]) == (True, 1246)
        assert [reason["code"] for reason in other["reasons"]] == ["too_many_stops"]
    one = await acme.api.post("/v1/service-rates/preview", json={**way, "service_rate": made["id"]})
    assert [each["service_rate"] for each in one.json()["rates"]] == [made["id"]]


async def test_a_rate_is_tried_out_before_it_is_saved(acme: Firm, house: House) -> None:
    zone = await counter.zone(acme, counter.square(99.9, -0.1, 0.5))
    draft = {**counter.BY_KILOMETRE, "zone": zone["id"]}
    body = {"pickup": counter.CENTRE, "dropoff": counter.EAST, "distance": 1000, "rate": draft}
    (told,) = (await acme.api.post("/v1/service-rates/preview", json=body)).json()["rates"]
    assert told["amount"] == 580
    body["dropoff"] = counter.FAR
    (told,) = (await acme.api.post("/v1/service-rates/preview", json=body)).json()["rates"]
    assert [reason["code"] for reason in told["reasons"]] == ["outside_zone"]
    wrong = {**body, "rate": {**draft, "currency": "ABC"}}
    assert paths(await acme.api.post("/v1/service-rates/preview", json=wrong)) == ["rate.currency"]
    assert await house.value("select count(*) from service_rates") == 0
