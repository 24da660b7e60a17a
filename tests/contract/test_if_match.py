"""Whoever deletes may say which version they mean; another one is refused, and nothing changes."""

from typing import Final, NamedTuple

import pytest
from litestar.routes import HTTPRoute

from contract import test_every_route as doors
from pannier.app import build_litestar
from probe import refused
from stage import Firm, House

FLOW: Final = [
    {"code": "collected", "status": "Collected", "next": ["delivered"]},
    {"code": "delivered", "status": "Delivered", "complete": True},
]
STALE: Final = '"987654"'
# Deletes of what has no versions, so that none is the present one, and why.
VERSIONLESS: Final = {
    "/v1/drivers/sessions/{session_id}": "a sign-in never changes, it ends",
    "/storefront/v1/customers/sessions/{session_id}": "a sign-in never changes, it ends",
    "/storefront/v1/customers/providers/{provider_id}": "a link to a provider is there or not",
    "/int/v1/sample-data": "all of it, except what was changed",
    "/int/v1/sessions": "all of one's sign-ins, however many there are by now",
    "/int/v1/sessions/{token_id}": "a sign-in never changes, it ends",
    "/int/v1/customers/{customer_id}/tokens": "all of somebody's sign-ins",
    "/int/v1/customers/{customer_id}/tokens/{token_id}": "a sign-in never changes, it ends",
    "/int/v1/drivers/{driver_id}/tokens": "all of somebody's sign-ins",
    "/int/v1/drivers/{driver_id}/tokens/{token_id}": "a sign-in never changes, it ends",
    "/int/v1/devices/{device_id}/tokens": "all that a device may show",
    "/int/v1/devices/{device_id}/tokens/{token_id}": "a token never changes, it ends",
    "/int/v1/operators/{operator_id}/tokens": "all of somebody's sign-ins",
    "/int/v1/operators/{operator_id}/tokens/{token_id}": "a sign-in never changes, it ends",
}


def takes_a_version() -> dict[str, bool]:
    """Tell of each path that can be deleted whether its handler asks for the caller's version."""
    routes = [route for route in build_litestar().routes if isinstance(route, HTTPRoute)]
    return {
        route.path_format: "match" in route.route_handler_map["DELETE"][0].opt["injected_names"]
        for route in routes
        if "DELETE" in route.route_handler_map
    }


# These companies are live, and have no simulations: see the tests of those.
DELETED: Final = sorted(
    path
    for path in takes_a_version()
    if path not in VERSIONLESS and path not in doors.OF_TEST_COMPANIES
)


class Doomed(NamedTuple):
    """What a test deletes, and where its version is read."""

    path: str
    shown_at: str


async def order_config(firm: Firm) -> Doomed:
    """A flow of the company's own: the default one stays."""
    made = await doors.created(
        firm.api.post("/v1/order-configs", json={"name": "Registered", "flow": FLOW})
    )
    return Doomed(f"/v1/order-configs/{made}", f"/v1/order-configs/{made}")


async def cancelled(firm: Firm) -> Doomed:
    """An order that is called off; its version is the order's."""
    order = f"/v1/orders/{await doors.order(firm)}"
    return Doomed(f"{order}/cancel", order)


async def assignment(firm: Firm) -> Doomed:
    """An order's driver; its version is the order's."""
    order = f"/v1/orders/{await doors.order(firm)}"
    driver = {"driver": await doors.driver(firm)}
    assert (await firm.api.post(f"{order}/assign-driver", json=driver)).is_success
    return Doomed(f"{order}/assign-driver", order)


async def member(firm: Firm) -> Doomed:
    """A driver of a fleet; its version is the fleet's."""
    fleet, driver = f"/v1/fleets/{await doors.fleet(firm)}", await doors.driver(firm)
    assert (await firm.api.post(f"{fleet}/drivers", json={"driver": driver})).is_success
    return Doomed(f"{fleet}/drivers/{driver}", fleet)


async def carried(firm: Firm) -> Doomed:
    """A vehicle of a fleet; its version is the fleet's."""
    fleet, vehicle = f"/v1/fleets/{await doors.fleet(firm)}", await doors.vehicle(firm)
    assert (await firm.api.post(f"{fleet}/vehicles", json={"vehicle": vehicle})).is_success
    return Doomed(f"{fleet}/vehicles/{vehicle}", fleet)


OWN: Final = {
    "/v1/fleets/{fleet_id}/drivers/": member,
    "/v1/fleets/{fleet_id}/vehicles/": carried,
    "/v1/order-configs/": order_config,
    "/v1/orders/{order_id}/cancel": cancelled,
    "/v1/orders/{order_id}/assign-driver": assignment,
}


async def doomed(path: str, firm: Firm) -> Doomed:
    """Make something of the company's that a path deletes."""
    for beginning, make in OWN.items():
        if path.startswith(beginning):
            return await make(firm)
    address = await doors.addressed(path, firm)
    return Doomed(address, address)


def test_every_delete_takes_a_version_or_says_why_not() -> None:
    forgot = {path for path, takes in takes_a_version().items() if not takes}
    assert forgot == set(VERSIONLESS)
    assert len(DELETED) > 15


async def test_every_delete_of_the_document_says_what_it_does_with_a_version(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()["paths"]
    found = {path: methods["delete"] for path, methods in told.items() if "delete" in methods}
    assert set(found) == set(takes_a_version())
    for path, operation in found.items():
        named = [parameter.get("$ref", "") for parameter in operation["parameters"]]
        assert "#/components/parameters/IfMatch" in named, path
        assert "412" in operation["responses"], path


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(VERSIONLESS))
async def test_a_delete_of_a_version_that_cannot_be_is_refused_and_changes_nothing(
    acme: Firm, house: House, path: str
) -> None:
    address, client = await doors.addressed(path, acme), await doors.caller_for(acme, path)
    before = await doors.contents(house, acme)
    refused(await client.delete(address, headers={"If-Match": STALE}), 412, "precondition_failed")
    assert await doors.contents(house, acme) == before


async def test_what_has_no_versions_is_deleted_whatever_it_is_at_present(acme: Firm) -> None:
    (own,) = (await acme.admin.get("/int/v1/sessions")).json()["data"]
    path = f"/int/v1/sessions/{own['id']}"
    other = await acme.admin.delete(path, headers={"If-Match": '"1"'})
    assert refused(other, 412, "precondition_failed")["detail"].endswith("Leave out `If-Match`.")
    assert (await acme.admin.delete(path, headers={"If-Match": "*"})).is_success


@pytest.mark.slow
@pytest.mark.parametrize("path", DELETED)
async def test_a_delete_of_another_version_is_refused_and_changes_nothing(
    acme: Firm, house: House, path: str
) -> None:
    thing, client = await doomed(path, acme), await doors.caller_for(acme, path)
    version = (await client.get(thing.shown_at)).headers["etag"]
    before = await doors.contents(house, acme)
    for other in (STALE, f"W/{version}", f"{STALE}, W/{version}"):
        refused(
            await client.delete(thing.path, headers={"If-Match": other}), 412, "precondition_failed"
        )
    assert await doors.contents(house, acme) == before


@pytest.mark.slow
@pytest.mark.parametrize("path", DELETED)
async def test_a_delete_of_the_present_version_is_done(acme: Firm, path: str) -> None:
    thing, client = await doomed(path, acme), await doors.caller_for(acme, path)
    version = (await client.get(thing.shown_at)).headers["etag"]
    # Of several, one has to be the present one; and several may come in as many lines.
    lines = [("If-Match", f"{STALE}, {version}"), ("If-Match", STALE)]
    answer = await client.delete(thing.path, headers=lines)
    assert answer.is_success, answer.text
    left = await client.get(thing.shown_at)
    # A revoked key stays in the list; whatever else was deleted is gone, or out of its fleet.
    assert left.status_code == 404 or left.headers["etag"] != version or "/fleets/" in path
