"""A caller with the wrong kind of credential learns which kind the route takes."""

import os
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path
from typing import Final

import pytest
from litestar.routes import HTTPRoute

import stage
from pannier.accounts.credentials import NAMES
from pannier.app import build_litestar
from pannier.db import Database
from pannier.kit.clock import ManualClock
from probe import refused
from stage import Firm, House

# The kinds of credential by the names that routes use for them, and how each begins.
PREFIXES: Final = {
    "apiKey": "api",
    "storefrontKey": "store",
    "appKey": "app",
    "driverToken": "drv",
    "deviceToken": "dvc",
    "operator": "opr",
    "metricsToken": "mtr",
}
# A door that a customer goes through takes a storefront key first; the token is beside it.
CUSTOMER: Final = "customerToken"


def list_routes() -> list[tuple[str, str, frozenset[str]]]:
    """List the methods of paths that take a credential, and the prefixes of those they take."""
    found = []
    for route in build_litestar().routes:
        assert isinstance(route, HTTPRoute)
        for method, (handler, _) in route.route_handler_map.items():
            taken = {name for each in handler.resolve_security() for name in each} - {CUSTOMER}
            if taken and method != "OPTIONS" and not route.path_format.startswith("/console"):
                prefixes = frozenset(PREFIXES[name] for name in taken)
                found.append((method, route.path_format, prefixes))
    return sorted(found)


ROUTES: Final = list_routes()
EVERYTHING: Final = "PANNIER_FUZZ" in os.environ


@pytest.fixture
async def installation(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house that counts no requests: here one caller sends thousands."""
    return await stage.build(
        database, clock, str(tmp_path), credential_rate="1000000", address_rate="1000000"
    )


def make_credential(prefix: str) -> str:
    """Make a credential of a kind that nobody was given."""
    return f"{prefix}_live_{'x' * 16}_{'y' * 43}"


def list_wrong_kinds() -> Iterator[tuple[str, str, frozenset[str], str]]:
    """List every kind for each set of kinds that routes take, and one kind for each route.

    All kinds at all routes are thousands of requests, which `make fuzz` sends.
    """
    seen = set()
    # A customer token and a webhook secret are no Bearer credential anywhere.
    turns = {accepted: cycle(sorted(NAMES.keys() - accepted)) for _, _, accepted in ROUTES}
    for method, template, accepted in ROUTES:
        every = EVERYTHING or accepted not in seen
        seen.add(accepted)
        for prefix in sorted(NAMES.keys() - accepted) if every else [next(turns[accepted])]:
            yield method, template, accepted, prefix


@pytest.mark.slow  # It sends several hundred requests.
@pytest.mark.properties
async def test_each_kind_at_a_route_that_takes_another_is_told_which(
    installation: House,
) -> None:
    assert len(ROUTES) > 300
    callers = {prefix: installation.client(make_credential(prefix)) for prefix in NAMES}
    for method, template, accepted, prefix in list_wrong_kinds():
        path = template.replace("{", "").replace("}", "")
        body = {} if method != "GET" else None
        answer = await callers[prefix].request(method, path, json=body)
        detail = refused(answer, 401, "unauthenticated")["detail"]
        named = {each for each in PREFIXES.values() if f"(`{each}_…`)" in detail}
        assert named == accepted, (method, template, prefix, detail)
        if "mtr" not in accepted:
            assert f"You sent a{'n' * (NAMES[prefix][0] in 'Aao')} {NAMES[prefix]}. " in detail


async def test_without_any_credential_each_route_says_which_it_takes(installation: House) -> None:
    for method, template, accepted in ROUTES:
        path = template.replace("{", "").replace("}", "")
        answer = await installation.client().request(method, path)
        detail = refused(answer, 401, "unauthenticated")["detail"]
        assert {each for each in PREFIXES.values() if f"(`{each}_…`)" in detail} == accepted


async def test_a_storefront_key_under_v1_is_told_to_send_an_api_key(acme: Firm) -> None:
    body = refused(await acme.storefront.get("/v1/orders"), 401, "unauthenticated")
    assert body["detail"] == (
        "You sent a storefront key. This route takes an API key (`api_…`) or a driver token "
        "(`drv_…`). Send it as `Authorization: Bearer …`."
    )


async def test_a_customer_route_says_which_token_goes_beside_the_key(acme: Firm) -> None:
    address = "/storefront/v1/customers/me"
    for sent, begin in (
        ({}, "This route takes a customer token (`cst_…`)"),
        ({"Customer-Token": acme.api_key}, "You sent an API key. This route takes a customer"),
        ({"Customer-Token": make_credential("cst")}, "This customer token is unknown, revoked"),
        ({"Customer-Token": "cst_live"}, "This customer token is incomplete."),
    ):
        answer = await acme.storefront.get(address, headers=sent)
        assert refused(answer, 401, "customer_token_invalid")["detail"].startswith(begin)


async def test_an_ended_credential_of_the_right_kind_is_told_so(acme: Firm) -> None:
    for prefix, address, remedy in (
        ("api", "/v1/places", "This API key is unknown, revoked or expired. Send a valid one."),
        ("opr", "/int/v1/me", "This operator token is unknown, revoked or expired. Sign in again."),
    ):
        answer = await acme.house.client(make_credential(prefix)).get(address)
        assert refused(answer, 401, "unauthenticated")["detail"] == remedy
