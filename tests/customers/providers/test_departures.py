"""Whoever leaves is forgotten by their provider too."""

import pytest
from aiohttp import web

from customers.providers.issuer import AUDIENCES, ec_key
from customers.providers.lobby import Lobby
from pannier.kit.clock import ManualClock
from pannier.privacy import departures

HERE = "/storefront/v1/customers"


@pytest.mark.slow
async def test_what_provider_a_granted_is_revoked_when_the_account_closes(
    lobby: Lobby, clock: ManualClock
) -> None:
    pem = ec_key("team-key").as_pem(private=True).decode()
    trust = {"audiences": [AUDIENCES["a"]], "team_id": "TEAM", "key_id": "team-key"}
    await lobby.trust(a={**trust, "private_key": pem})
    lobby.issuer.codes["c0de"] = "sub-a"
    made = await lobby.enter("a", lobby.body_a())
    house, issuer = lobby.house, lobby.issuer
    close = f"/int/v1/customers/{made['id']}/close"
    await lobby.firm.admin.post(close, json={"reason": "Asked by phone."})
    assert await house.value("select count(*) from customer_identities") == 0
    services = house.edge.services

    async def step() -> bool:
        return await departures.step(house.database, services["gateway"], services["providers"])

    issuer.trouble = web.Response(status=503)
    assert await step() is True
    assert await step() is False
    issuer.trouble = None
    clock.advance(hours=1)
    assert await step() is True
    (form,) = issuer.revocations
    assert (form["token"], form["client_id"]) == ("r", AUDIENCES["a"])
    assert form["client_secret"].count(".") == 2
    clock.advance(days=2)
    assert await step() is False
