"""An issue with photos: reported in one go, or added to afterwards."""

from typing import Any

import httpx
import pytest

from orders.shop import Phone, Shop
from probe import refused
from proofs import drawn
from stage import Firm, House

PATH = "/v1/issues/with-photos"


def pictures(count: int) -> list[str]:
    return [drawn.text(drawn.photo(turn)) for turn in range(count)]


async def opened(house: House, url: str) -> httpx.Response:
    return await house.client().get(url.removeprefix(house.settings.base_url))


async def photos(client: httpx.AsyncClient, issue: dict[str, Any]) -> list[dict[str, Any]]:
    answer = await client.get(f"/v1/issues/{issue['id']}/photos")
    assert answer.status_code == 200, answer.text
    rows: list[dict[str, Any]] = answer.json()
    return rows


async def test_a_driver_reports_an_issue_with_photos_in_one_go(
    shop: Shop, phone: Phone, house: House
) -> None:
    ada = await shop.driver()
    order = await shop.order(driver=ada["id"], dispatch=True)
    client = await phone(ada)
    body = {"report": "The box is torn.", "order": order["id"], "photos": pictures(2)}
    key = {"Idempotency-Key": "entry-1"}
    answer = await client.post(PATH, json=body, headers=key)
    assert answer.status_code == 201, answer.text
    issue = answer.json()
    assert (issue["driver"], issue["order"], len(issue["photos"])) == (ada["id"], order["id"], 2)
    again = await client.post(PATH, json=body, headers=key)
    assert (again.status_code, again.json()["id"]) == (201, issue["id"])
    for name, kind in (("url", "image/jpeg"), ("thumbnail_url", "image/webp")):
        picture = await opened(house, issue["photos"][0][name])
        assert (picture.status_code, picture.headers["content-type"]) == (200, kind)
    assert len(await photos(shop.firm.api, issue)) == 2
    [told] = await shop.told("issue.created", "issue.updated")
    assert told["data"]["id"] == issue["id"]


async def test_a_form_carries_files(shop: Shop, phone: Phone) -> None:
    client = await phone(await shop.driver())
    files = [("photos", ("a.jpg", drawn.photo(), "image/jpeg"))]
    fields = {"report": "A flat tyre.", "location": '{"latitude": 1.3, "longitude": 103.8}'}
    answer = await client.post(PATH, data=fields, files=files)
    assert answer.status_code == 201, answer.text
    assert answer.json()["location"]["coordinates"] == [103.8, 1.3]


@pytest.mark.slow
async def test_photos_are_added_to_an_issue_up_to_a_limit(shop: Shop, phone: Phone) -> None:
    client = await phone(await shop.driver())
    issue = (await client.post("/v1/issues", json={"report": "A flat tyre."})).json()
    address = f"/v1/issues/{issue['id']}/photos"
    first = await client.post(address, json={"photo": pictures(1)[0]})
    assert (first.status_code, len(first.json())) == (201, 1)
    await client.post(address, json={"photos": pictures(10)})
    refused(await client.post(address, json={"photos": pictures(10)}), 409, "too_many_photos")
    assert len(await photos(client, issue)) == 11
    told = await shop.told("issue.updated")
    assert [body["data"]["changed"] for body in told] == [["photos"], ["photos"]]


async def test_what_is_no_picture_is_refused_and_nothing_is_reported(
    shop: Shop, phone: Phone
) -> None:
    client = await phone(await shop.driver())
    body = {"report": "A flat tyre."}
    refused(await client.post(PATH, json=body), 422, "validation_failed")
    fake = {**body, "photos": [drawn.text(b"<svg onload='alert(1)'/>")]}
    assert (await client.post(PATH, json=fake)).status_code in {415, 422}
    many = {**body, "photos": pictures(11)}
    refused(await client.post(PATH, json=many), 422, "validation_failed")
    assert await shop.get("issues") == []


async def test_the_photos_of_others_are_not_there(shop: Shop, phone: Phone, rival: Firm) -> None:
    issue = await shop.issue()
    client = await phone(await shop.driver())
    for stranger in (client, rival.api):
        address = f"/v1/issues/{issue['id']}/photos"
        refused(await stranger.get(address), 404, "not_found")
        refused(await stranger.post(address, json={"photos": pictures(1)}), 404, "not_found")
    assert await photos(shop.firm.api, issue) == []


async def test_photos_go_with_their_issue(shop: Shop, house: House) -> None:
    answer = await shop.firm.api.post(PATH, json={"report": "Torn.", "photos": pictures(1)})
    issue = answer.json()
    [shown] = issue["photos"]
    assert (await opened(house, shown["url"])).status_code == 200
    gone = await shop.firm.api.delete(f"/v1/issues/{issue['id']}")
    assert gone.status_code == 200, gone.text
    assert (await opened(house, shown["url"])).status_code == 404
    assert await house.value("select count(*) from files where deleted_at is null") == 0
