"""Interface, Service quotes: every parameter of GET /v1/service-quotes, and every rule of it."""

import itertools
from datetime import timedelta
from typing import Any

import httpx
import msgspec
import pytest

from pannier.kit.clock import ManualClock
from probe import paths, refused
from rates import counter
from rates.counter import ask, make, names, rate, square, zone
from stage import NOON, Firm, House

POINT = {"type": "Point", "coordinates": [100.0, 0.0]}


async def test_response_a_list_whose_items_have_rate_amount_currency_and_expiry(
    acme: Firm,
) -> None:
    made = await rate(acme)
    (quote,) = await ask(acme.api)
    assert quote["service_rate_uuid"] == made["uuid"]
    assert (quote["amount"], quote["currency"]) == (500, "SGD")
    assert quote["expired_at"] == "2026-01-15T12:30:00.000Z"
    assert quote["service_rate_name"] == "Flat"
    assert quote["items"] == [
        {"code": "BASE_FEE", "details": "Base fee", "amount": 500, "currency": "SGD"}
    ]
    assert quote["id"].startswith("quote_")
    assert quote["request_id"]


async def test_amount_includes_base_fee_distance_component_and_surcharges(acme: Firm) -> None:
    await rate(
        acme, **counter.BY_KILOMETRE, has_cod_fee=True, cod_calculation_method="percentage",
        cod_percent=2, has_peak_hours_fee=True, peak_hours_calculation_method="percentage",
        peak_hours_percent=12, peak_hours_start="11:00", peak_hours_end="13:00",
    )  # fmt: skip
    (quote,) = await ask(acme.api, distance=9321, time=1260, cod=5000)
    lines = {line["code"]: line["amount"] for line in quote["items"]}
    assert lines == {"BASE_FEE": 500, "DISTANCE_FEE": 746, "COD_FEE": 100, "PEAK_HOUR_FEE": 150}
    assert quote["amount"] == 1496
    assert quote["amount_decimal"] == "14.96"


async def test_a_query_only_computes(acme: Firm, house: House) -> None:
    """Everything in the database is the same before and after, whatever is asked."""
    await rate(acme)
    await acme.api.get("/v1/service-quotes")
    before = await everything(house)
    await ask(acme.api)
    await ask(acme.api, explain=1)
    await ask(acme.storefront, "/storefront/v1/service-quotes")
    await ask(acme.admin, "/int/v1/service-quotes/preview")
    body = {"pickup": counter.CENTRE, "dropoff": counter.EAST}
    assert (await acme.api.post("/v1/service-rates/preview", json=body)).status_code == 200
    assert await everything(house) == before


async def everything(house: House) -> dict[str, Any]:
    tables = await house.value(
        """select array_agg(table_name::text) from information_schema.tables
           where table_schema = 'public'"""
    )
    return {
        table: await house.value(
            f"select json_agg(to_jsonb(t) - 'last_used_at' order by t::text)::text from {table} t"
        )
        for table in tables
    }


async def test_parameter_payload_an_existing_payload_by_its_public_id(acme: Firm) -> None:
    await rate(acme, max_weight=3)
    body = {
        "pickup": {"name": "A", "location": POINT},
        "dropoff": {"name": "B", "latitude": 0, "longitude": 100.1},
        "entities": [{"name": "Box", "weight": 2500, "weight_unit": "g"}],
    }
    payload = await make(acme, "payloads", body)
    for name in (payload["id"], payload["uuid"]):
        assert len(await ask(acme.api, payload=name)) == 1
    heavy = await make(acme, "payloads", {**body, "entities": [{"name": "Box", "weight": 3.5}]})
    assert await ask(acme.api, payload=heavy["id"]) == []
    refused(await acme.api.get("/v1/service-quotes?payload=payload_0"), 404, "not_found")


async def test_parameter_payload_is_used_before_inline_locations(acme: Firm) -> None:
    inside = await zone(acme, square(99.9, -0.1, 0.5))
    await rate(acme, zone=inside["id"])
    far = {"pickup": {"location": "0,110"}, "dropoff": {"location": "0,111"}}
    payload = await make(acme, "payloads", far)
    sent = {"payload": payload["id"], "pickup": counter.CENTRE, "dropoff": counter.EAST}
    assert (await acme.api.get("/v1/service-quotes", params=sent)).json() == []


@pytest.mark.parametrize(
    "spelled",
    ["0.0,100.0", '{"type":"Point","coordinates":[100.0,0.0]}', "[100.0,0.0]",
     '{"latitude":0,"longitude":100}', '{"street1":"1 Main St","location":"0,100"}',
     '{"place":"0.0,100.0"}'],
)  # fmt: skip
async def test_parameters_pickup_and_dropoff_points_and_addresses_with_points(
    acme: Firm, spelled: str
) -> None:
    await rate(acme)
    (quote,) = await ask(acme.api, pickup=spelled)
    assert quote["distance"] == (await ask(acme.api))[0]["distance"]
    (quote,) = await ask(acme.api, pickup=counter.EAST, dropoff=spelled)
    assert quote["source"] == "great_circle"


async def test_parameters_pickup_and_dropoff_in_brackets_and_by_identifier(acme: Firm) -> None:
    await rate(acme)
    place = await make(acme, "places", {"name": "Depot", "location": POINT})
    expected = (await ask(acme.api))[0]["distance"]
    for pickup in (
        "pickup[latitude]=0&pickup[longitude]=100",
        f"pickup={place['id']}",
        f"pickup={place['uuid']}",
        f"pickup[id]={place['id']}",
    ):
        answer = await acme.api.get(f"/v1/service-quotes?{pickup}&dropoff=0.0,100.1")
        assert [quote["distance"] for quote in answer.json()] == [expected], answer.text


async def test_parameter_waypoints_a_way_through_all_of_them(acme: Firm) -> None:
    await rate(acme, **counter.BY_KILOMETRE)
    spots = ["0,100", "0,100.1", "0,100.3"]
    legs = [
        (await ask(acme.api, pickup=here, dropoff=there))[0]["distance"]
        for here, there in itertools.pairwise(spots)
    ]
    for sent in (
        "&".join(f"waypoints={spot}" for spot in spots),
        "&".join(f"waypoints[]={spot}" for spot in spots),
        'waypoints=["0,100","0,100.1","0,100.3"]',
        "waypoints=[[100,0],[100.1,0],[100.3,0]]",
        "pickup=0,100&waypoints=0,100.1&dropoff=0,100.3",
    ):
        answer = await acme.api.get(f"/v1/service-quotes?{sent}")
        (quote,) = answer.json()
        assert abs(quote["distance"] - sum(legs)) <= 1, sent


async def test_parameter_service_type_filters_to_one(acme: Firm) -> None:
    await rate(acme)
    await rate(acme, **counter.BY_KILOMETRE)
    assert await names(acme, service_type="express") == ["Express"]
    assert await names(acme, service_type="unheard-of") == []


@pytest.mark.parametrize("kind", ["vendors", "contacts"])
async def test_parameter_facilitator_a_vendor_or_a_contact(acme: Firm, kind: str) -> None:
    partner = await make(acme, kind, {"name": "Wheels"})
    await rate(acme, service_name="Theirs", facilitator=partner["id"])
    await rate(acme, service_name="Anybody's", base_fee=900)
    assert await names(acme) == ["Anybody's"]
    assert await names(acme, facilitator=partner["id"]) == ["Theirs", "Anybody's"]
    answer = await acme.api.get("/v1/service-quotes?pickup=0,1&dropoff=0,2&facilitator=vendor_0")
    assert refused(answer, 404, "not_found")["fields"][0]["path"] == "facilitator"


async def test_parameter_scheduled_at_decides_which_hours_are_peak_hours(acme: Firm) -> None:
    await rate(
        acme, has_peak_hours_fee=True, peak_hours_calculation_method="flat",
        peak_hours_flat_fee=200, peak_hours_start="17:00", peak_hours_end="20:00",
        timezone="Asia/Singapore",
    )  # fmt: skip
    (now,) = await ask(acme.api)
    (peak,) = await ask(acme.api, scheduled_at="2026-05-08T18:30:00+08:00")
    (late,) = await ask(acme.api, scheduled_at="2026-05-08T20:00:00+08:00")
    # Noon in Greenwich is eight in the evening in Singapore.
    assert [quote["amount"] for quote in (now, peak, late)] == [500, 700, 500]


async def test_parameter_cod_matches_rates_that_take_cash(acme: Firm) -> None:
    await rate(acme, service_name="No cash")
    await rate(
        acme, service_name="Cash", has_cod_fee=True, cod_calculation_method="percentage",
        cod_percent="2.5", max_cod=100_000,
    )  # fmt: skip
    assert await names(acme) == ["Cash", "No cash"]
    (quote,) = await ask(acme.api, cod=5000)
    assert (quote["service_rate_name"], quote["amount"]) == ("Cash", 625)
    assert await names(acme, cod=100_001) == []
    await rate(acme, service_name="Flat cash", has_cod_fee=True, cod_calculation_method="flat",
               cod_flat_fee=50)  # fmt: skip
    assert await names(acme, cod="true") == ["Flat cash"]
    assert len(await names(acme, cod="false")) == 3


async def test_parameter_currency_matches_the_rates_own(acme: Firm) -> None:
    await rate(acme)
    await rate(acme, service_name="Yen", currency="JPY", base_fee=700)
    assert await names(acme, currency="JPY") == ["Yen"]
    assert await names(acme, currency="sgd") == ["Flat"]
    assert (await ask(acme.api, currency="JPY"))[0]["amount_decimal"] == "700"


async def test_parameters_distance_and_time_are_used_instead_of_recalculation(acme: Firm) -> None:
    await rate(acme, **counter.BY_KILOMETRE)
    (quote,) = await ask(acme.api, distance=10_000, time=600)
    assert (quote["distance"], quote["time"], quote["source"]) == (10_000, 600, "given")
    assert quote["amount"] == 500 + 800
    (far,) = await ask(acme.api, distance=20_000)
    assert (far["distance"], far["source"]) == (20_000, "given")
    assert far["time"] > 0


@pytest.mark.parametrize(
    ("sent", "path"),
    [
        ({}, ["pickup", "dropoff"]),
        ({"pickup": "0,1"}, ["dropoff"]),
        ({"dropoff": "0,1"}, ["pickup"]),
        ({"waypoints": "0,1"}, ["waypoints"]),
        ({"pickup": "91,1", "dropoff": "0,1"}, ["pickup"]),
        ({"pickup": "0,1", "dropoff": "Main Street"}, ["dropoff"]),
        ({"pickup": "order_0000000000000000", "dropoff": "0,1"}, ["pickup"]),
        ({"waypoints": '["0,1","0,200"]'}, ["waypoints[1]"]),
        ({"currency": "XXX"}, ["currency"]),
        ({"currency": "dollars"}, ["currency"]),
        ({"cod": "12.5"}, ["cod"]),
        ({"cod": "-1"}, ["cod"]),
        ({"cod": "much"}, ["cod"]),
        ({"cod": "99999999999999999999"}, ["cod"]),
        ({"scheduled_at": "tomorrow"}, ["scheduled_at"]),
        ({"scheduled_at": "2026-05-08T18:30:00"}, ["scheduled_at"]),
        ({"distance": "-1"}, ["distance"]),
        ({"distance": "far"}, ["distance"]),
        ({"time": "1.5"}, ["time"]),
        ({"explain": "perhaps"}, ["explain"]),
        ({"entities": '[{"weight": "heavy"}]'}, ["entities[0].weight"]),
    ],
)
async def test_bad_input_is_422_naming_the_parameter(
    acme: Firm, sent: dict[str, str], path: list[str]
) -> None:
    whole = {"pickup", "dropoff", "waypoints"} & sent.keys() or not sent
    way = {} if whole else {"pickup": "0,1", "dropoff": "0,2"}
    assert paths(await acme.api.get("/v1/service-quotes", params={**way, **sent})) == path


async def test_rule_2_matching_considers_the_zone_of_origin_and_destination(acme: Firm) -> None:
    west, east = await zone(acme, square(99.95, -1, 0.1)), await zone(acme, square(100.06, -1, 0.1))
    for name, side, wanted in (
        ("From the west", "origin", west),
        ("From the east", "origin", east),
        ("To the east", "destination", east),
        ("To the west", "destination", west),
        ("Inside the west", "both", west),
    ):
        await rate(acme, service_name=name, zone=wanted["id"], zone_applies_to=side)
    assert sorted(await names(acme, pickup="-0.95,100.0", dropoff="-0.95,100.1")) == [
        "From the west", "To the east",
    ]  # fmt: skip
    # A point on the border is inside.
    assert sorted(await names(acme, pickup="-1,99.95", dropoff="-0.9,100.05")) == [
        "From the west", "Inside the west", "To the west",
    ]  # fmt: skip


async def test_rule_2_matching_considers_the_service_area_of_every_stop(acme: Firm) -> None:
    city = await counter.area(acme, square(99.9, -0.1, 0.5))
    await rate(acme, service_area=city["id"])
    assert await names(acme) == ["Flat"]
    assert await names(acme, waypoints=["0,100", "5,100", "0,100.1"]) == []


async def test_rule_2_matching_considers_the_order_configuration(acme: Firm) -> None:
    flow = [{"code": "done", "status": "Done", "complete": True}]
    cold = await make(acme, "order-configs", {"name": "Cold chain", "flow": flow})
    await rate(acme, service_name="Cold", order_config=cold["id"])
    await rate(acme, service_name="Usual", order_config="transport")
    assert await names(acme) == ["Usual"]
    assert await names(acme, order_config="cold-chain") == ["Cold"]


async def test_rule_2_matching_considers_weight_and_volume(acme: Firm) -> None:
    bands = [{"min": 0, "max": 5, "fee": 100}, {"min": 5, "max": 10, "fee": 250}]
    await rate(acme, service_name="Weight", rate_calculation_method="weight", weight_fees=bands)
    await rate(acme, service_name="Small", base_fee=900, max_volume="0.1")
    light = '[{"weight": 4.999, "length": 40, "width": 30, "height": 20}]'
    heavy = '[{"weight": 5000, "weight_unit": "g", "length": 1, "width": 1, "height": 1, \
"dimensions_unit": "m"}]'
    assert [quote["amount"] for quote in await ask(acme.api, entities=light)] == [600, 900]
    assert [quote["amount"] for quote in await ask(acme.api, entities=heavy)] == [750]


async def test_rule_2_matching_considers_the_current_time(acme: Firm, clock: ManualClock) -> None:
    await rate(acme, service_name="January", valid_until="2026-02-01T00:00:00Z")
    await rate(acme, service_name="February", valid_from="2026-02-01T00:00:00Z")
    assert await names(acme) == ["January"]
    assert await names(acme, scheduled_at="2026-02-01T00:00:00Z") == ["February"]
    clock.advance(days=30)
    assert await names(acme) == ["February"]


async def test_rule_3_one_quote_for_each_matching_rate_the_cheapest_first(acme: Firm) -> None:
    for number, fee in enumerate((700, 300, 500)):
        await rate(acme, service_name=f"Tier {number}", base_fee=fee)
    quotes = await ask(acme.api)
    assert [quote["amount"] for quote in quotes] == [300, 500, 700]
    assert len({quote["id"] for quote in quotes}) == 3


async def test_no_matching_rate_is_an_empty_list(acme: Firm) -> None:
    assert await ask(acme.api) == []


async def test_explain_says_why_each_rate_did_not_match(acme: Firm) -> None:
    far = await zone(acme, square(10, 10, 1))
    await rate(acme, service_name="Here")
    await rate(acme, service_name="Elsewhere", zone=far["id"], currency="EUR")
    await rate(acme, service_name="Idle", status="inactive")
    told = await ask(acme.api, explain=1, currency="SGD")
    assert [quote["service_rate_name"] for quote in told["quotes"]] == ["Here"]
    assert {
        each["service_rate_name"]: [reason["code"] for reason in each["reasons"]]
        for each in told["rejected"]
    } == {"Elsewhere": ["currency_differs", "outside_zone"], "Idle": ["rate_inactive"]}


async def test_expiry_the_rates_life_else_the_companys_else_30_minutes(acme: Firm) -> None:
    await rate(acme)

    async def life() -> timedelta:
        (quote,) = await ask(acme.api)
        return msgspec.convert(quote["expired_at"], type(NOON)) - NOON

    assert await life() == timedelta(minutes=30)
    await acme.admin.patch("/int/v1/settings", json={"quote_life": 600})
    assert await life() == timedelta(minutes=10)
    (kept,) = (await acme.api.get("/v1/service-rates")).json()
    await acme.api.patch(f"/v1/service-rates/{kept['id']}", json={"quote_life": 120})
    assert await life() == timedelta(minutes=2)


async def test_another_companys_rates_places_and_payloads_are_not_there(
    acme: Firm, rival: Firm
) -> None:
    await rate(acme)
    place = await make(acme, "places", {"name": "Depot", "location": POINT})
    payload = await make(
        acme, "payloads", {"pickup": place["id"], "dropoff": {"location": "0,100.1"}}
    )
    assert await ask(rival.api) == []
    for sent in ({"payload": payload["id"]}, {"pickup": place["id"], "dropoff": "0,1"}):
        refused(await rival.api.get("/v1/service-quotes", params=sent), 404, "not_found")


async def test_permuting_rates_and_parameters_changes_nothing(acme: Firm, rival: Firm) -> None:
    wishes: list[dict[str, Any]] = [
        {"service_name": "A", "base_fee": 300},
        {"service_name": "B", **{key: counter.BY_KILOMETRE[key] for key in (
            "rate_calculation_method", "per_meter_flat_rate_fee")}},
        {"service_name": "C", "base_fee": 300},
    ]  # fmt: skip
    for firm, order in ((acme, wishes), (rival, wishes[::-1])):
        for wish in order:
            await rate(firm, **wish)
    sent = {"currency": "SGD", "distance": "5000", "time": "60", "cod": "false"}

    async def priced(client: httpx.AsyncClient, **sent: str) -> list[tuple[str, int]]:
        return [(each["service_name"], each["amount"]) for each in await ask(client, **sent)]

    expected = await priced(acme.api, **sent)
    assert await priced(rival.api, **dict(reversed(sent.items()))) == expected
