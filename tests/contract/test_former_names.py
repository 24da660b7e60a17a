"""Former names: responses have both until 1.0, requests take both, and their use is announced."""

from datetime import UTC, date, datetime
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import UNSET

from pannier.web import former_names
from pannier.web.fields import Clearable, Given
from pannier.web.former_names import Deprecation, former_name
from pannier.web.routes import get, post
from probe import keyed, mounted, refused
from stage import Firm, House

SETTLED = f"@{int(datetime.combine(former_names.SETTLED_ON, datetime.min.time(), UTC).timestamp())}"
GUIDE = '</docs/guide/versions>; rel="deprecation"; type="text/html"'
SUNSET = date(2027, 12, 31)


class Lid(msgspec.Struct, kw_only=True):
    """A nested object with a former name."""

    color: Given[str] = UNSET
    colour: Annotated[Given[str], former_name("color", sunset=SUNSET)] = UNSET


class Box(msgspec.Struct, kw_only=True):
    """A body with former names."""

    driver: Clearable[str | dict[str, Any]] = UNSET
    driver_assigned: Annotated[Clearable[str | dict[str, Any]], former_name("driver")] = UNSET
    size: str | None = None
    format: Annotated[Clearable[str], former_name("size", convert=str.upper)] = UNSET
    lids: list[Lid] = []


class Shown(msgspec.Struct):
    """What arrived."""

    driver: object
    size: str | None
    colors: list[str | None]


class BoxFilters(msgspec.Struct, frozen=True):
    """A query with a former name."""

    size: str | None = None
    format: Annotated[Given[str], former_name("size")] = UNSET


@post("/boxes", status_code=200)
async def show_box(data: Box) -> Shown:
    """Show a box."""
    assert data.driver_assigned is UNSET
    assert data.format is UNSET
    driver = "absent" if data.driver is UNSET else data.driver
    return Shown(driver, data.size, [lid.color or None for lid in data.lids])


@get("/boxes")
async def find_boxes(filters: BoxFilters) -> Shown:
    """Find boxes."""
    return Shown(None, filters.size, [])


@post("/crates", status_code=200, deprecated=Deprecation("/v1/boxes", sunset=SUNSET))
async def show_crate(data: Box) -> Shown:
    """Show a box, under a former path."""
    return Shown(None, data.size, [])


@pytest.fixture
def boxes(acme: Firm, house: House) -> Any:
    return mounted(house, keyed(show_box, find_boxes, show_crate)).client(acme.api_key)


@pytest.mark.parametrize(
    ("body", "driver"),
    [
        ({"driver": "driver_1"}, "driver_1"),
        ({}, "absent"),
        ({"driver": "driver_1", "driver_assigned": "driver_1"}, "driver_1"),
        ({"driver": "driver_1", "driver_assigned": {"id": "driver_1"}}, "driver_1"),
        ({"driver": None, "driver_assigned": None}, None),
    ],
)
async def test_present_names_and_their_repetition_are_not_announced(
    boxes: Any, body: dict[str, Any], driver: object
) -> None:
    answer = await boxes.post("/v1/boxes", json=body)
    assert answer.json()["driver"] == driver
    assert not {"deprecation", "sunset", "link"} & set(answer.headers)


@pytest.mark.parametrize("value", ["driver_1", {"id": "driver_1"}, None])
async def test_a_former_name_in_a_body_works_and_is_announced(boxes: Any, value: object) -> None:
    answer = await boxes.post("/v1/boxes", json={"driver_assigned": value})
    assert answer.json()["driver"] == value
    assert answer.headers["deprecation"] == SETTLED
    assert answer.headers["link"] == GUIDE
    assert "sunset" not in answer.headers


async def test_a_former_name_takes_former_values(boxes: Any) -> None:
    assert (await boxes.post("/v1/boxes", json={"format": "xl"})).json()["size"] == "XL"
    assert (await boxes.post("/v1/boxes", json={"format": "xl", "size": "XL"})).is_success


async def test_a_nested_former_name_has_its_own_end(boxes: Any) -> None:
    answer = await boxes.post("/v1/boxes", json={"lids": [{"color": "red"}, {"colour": "blue"}]})
    assert answer.json()["colors"] == ["red", "blue"]
    assert answer.headers["sunset"] == "Fri, 31 Dec 2027 00:00:00 GMT"


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"driver": "driver_1", "driver_assigned": "driver_2"}, "driver_assigned"),
        ({"driver": None, "driver_assigned": "driver_2"}, "driver_assigned"),
        ({"driver": {"id": "a", "uuid": "b"}, "driver_assigned": {"id": "c"}}, "driver_assigned"),
        ({"lids": [{}, {"color": "red", "colour": "blue"}]}, "lids[1].colour"),
    ],
)
async def test_two_names_with_different_values_are_refused(
    boxes: Any, body: dict[str, Any], path: str
) -> None:
    headers = {"Idempotency-Key": "one"}
    answer = await boxes.post("/v1/boxes", json=body, headers=headers)
    assert [each["path"] for each in refused(answer, 422, "validation_failed")["fields"]] == [path]
    # Like every invalid request, it does not use up its key.
    assert (await boxes.post("/v1/boxes", json={}, headers=headers)).status_code == 200


async def test_a_former_parameter_works_and_is_announced(boxes: Any) -> None:
    answer = await boxes.get("/v1/boxes?format=xl")
    assert (answer.json()["size"], answer.headers["deprecation"]) == ("xl", SETTLED)
    refused(await boxes.get("/v1/boxes?format=xl&size=s"), 422, "validation_failed")
    assert "deprecation" not in (await boxes.get("/v1/boxes?size=s")).headers


async def test_a_former_path_announces_its_end_in_each_response(boxes: Any) -> None:
    headers = {"Idempotency-Key": "one"}
    for body, status in (({}, 200), ({}, 200), ({"size": 1}, 409)):
        answer = await boxes.post("/v1/crates", json=body, headers=headers)
        assert answer.status_code == status
        assert answer.headers["deprecation"] == SETTLED
        assert answer.headers["sunset"] == "Fri, 31 Dec 2027 00:00:00 GMT"
        assert answer.headers["link"] == GUIDE


async def test_an_order_has_both_names_and_takes_both(acme: Firm) -> None:
    driver = (
        await acme.api.post("/v1/drivers", json={"name": "Ada", "phone": "+6591234567"})
    ).json()
    places = {"pickup": "1 Raffles Place, Singapore", "dropoff": "2 Raffles Place, Singapore"}
    made = await acme.api.post("/v1/orders", json={**places, "driver_assigned": driver["id"]})
    order = made.json()
    assert made.headers["deprecation"] == SETTLED
    assert order["driver"] == order["driver_assigned"]
    assert order["driver"]["id"] == driver["id"]
    assert order["tracking"] == order["tracking_number"]["tracking_number"]
    back = await acme.api.put(f"/v1/orders/{order['id']}", json=order)
    assert back.status_code == 200, back.text
    assert "deprecation" not in back.headers
    path = f"/v1/orders/{order['id']}"
    refused(
        await acme.api.put(path, json={"driver": None, "driver_assigned": driver["id"]}),
        422,
        "validation_failed",
    )
    assert (await acme.api.put(path, json={"driver": None})).json()["driver_assigned"] is None
    assert (await acme.api.put(path, json={"driver": order["driver"]})).json()["driver"][
        "online"
    ] in {True, False}


async def test_the_next_page_stays_beside_the_announcement(acme: Firm) -> None:
    places = {"pickup": "1 Raffles Place, Singapore", "dropoff": "2 Raffles Place, Singapore"}
    order = (await acme.api.post("/v1/orders", json=places)).json()
    for code in ("one", "two"):
        body = {"code": code, "status": code, "tracking": order["tracking"]}
        assert (await acme.api.post("/v1/tracking-statuses", json=body)).status_code == 201
    answer = await acme.api.get(
        f"/v1/tracking-statuses?limit=1&tracking_number={order['tracking']}"
    )
    assert answer.headers["deprecation"] == SETTLED
    assert answer.links["next"]["url"].startswith("/v1/tracking-statuses?")
    assert answer.links["deprecation"]["url"] == "/docs/guide/versions"


@pytest.mark.parametrize(
    "path", ["login-with-apple", "login-with-google", "login-with-facebook",
             "stripe-ephemeral-key", "stripe-setup-intent"],
)  # fmt: skip
async def test_each_former_path_for_customers_announces_its_replacement(
    acme: Firm, house: House, path: str
) -> None:
    answer = await acme.storefront.post(f"/storefront/v1/customers/{path}", json={})
    assert answer.headers["deprecation"] == SETTLED
    document = (await house.client().get("/openapi.json")).json()
    operation = document["paths"][f"/storefront/v1/customers/{path}"]["post"]
    assert operation["deprecated"] is True
    replacement = operation["description"].rpartition("use `")[2].removesuffix("`.")
    assert "deprecated" not in document["paths"][replacement]["post"]


async def test_the_guide_of_the_link_exists(house: House) -> None:
    assert (await house.client().get(former_names.GUIDE)).status_code == 200


async def test_a_problem_names_a_field_as_it_was_sent(acme: Firm) -> None:
    rate = {
        "service_name": "Bike",
        "service_type": "bike",
        "currency": "SGD",
        "base_fee": 500,
        "rate_calculation_method": "fixed_rate",
    }
    for name in ("timezone", "time_zone"):
        answer = await acme.api.post("/v1/service-rates", json={**rate, name: "Mars/Olympus"})
        assert [each["path"] for each in refused(answer, 422, "validation_failed")["fields"]] == [
            name
        ]
        assert answer.json()["detail"].startswith(f"{name}: ")
        assert ("deprecation" in answer.headers) == (name == "timezone")


async def test_former_names_of_rates_and_devices_are_stored_under_their_replacement(
    acme: Firm,
) -> None:
    rate = {
        "service_name": "Bike",
        "service_type": "bike",
        "currency": "SGD",
        "base_fee": 500,
        "rate_calculation_method": "fixed_rate",
    }
    made = await acme.api.post("/v1/service-rates", json={**rate, "timezone": "Asia/Tokyo"})
    assert made.json()["time_zone"] == made.json()["timezone"] == "Asia/Tokyo"
    path = f"/v1/service-rates/{made.json()['id']}"
    back = await acme.api.put(path, json=made.json())
    assert (back.status_code, "deprecation" in back.headers) == (200, False), back.text
    changed = await acme.api.patch(path, json={"time_zone": None})
    assert (changed.json()["time_zone"], changed.json()["timezone"]) == (None, None)
    body = {"name": "Van 1", "type": "dashcam_unit", "device_id": "352093081234567"}
    device = await acme.api.post("/v1/devices", json=body)
    assert (device.json()["kind"], device.json()["identifier"]) == ("camera", "352093081234567")
    assert device.headers["deprecation"] == SETTLED


async def test_both_spellings_filter_deliveries(acme: Firm) -> None:
    for spelling in ("canceled", "cancelled"):
        answer = await acme.admin.get(f"/int/v1/webhook-deliveries?state={spelling}")
        assert (answer.status_code, answer.json()["data"]) == (200, [])
    refused(await acme.admin.get("/int/v1/webhook-deliveries?state=gone"), 422, "unknown_value")
