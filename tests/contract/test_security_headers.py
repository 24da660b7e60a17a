"""Every answer, good or bad, tells browsers to be careful with it."""

import httpx

from pannier.web.routes import get
from probe import mounted
from stage import Firm, House


@get("/defect")
async def defect() -> None:
    """Fail."""
    raise ValueError("oops")


async def answers(firm: Firm) -> list[httpx.Response]:
    house = firm.house
    return [
        await firm.api.get("/v1/organizations/current"),
        await firm.admin.get("/int/v1/keys"),
        await firm.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"}),
        await firm.admin.post("/int/v1/keys", json={}),
        await house.client().get("/v1/organizations/current"),
        await house.client().get("/nowhere"),
        await house.client().get("/healthz"),
        await firm.admin.post("/int/v1/keys", content=b" " * 2_000_000),
        await mounted(house, defect).client().get("/defect"),
    ]


async def test_every_answer_carries_them(acme: Firm) -> None:
    for answer in await answers(acme):
        headers = answer.headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "no-referrer"
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
        assert "x-powered-by" not in headers
        for name in ("x-content-type-options", "cache-control", "x-request-id", "content-length"):
            assert len(headers.get_list(name)) == 1


async def test_strict_transport_is_asked_for_over_https_only(acme: Firm, house: House) -> None:
    for answer in await answers(acme):
        assert "strict-transport-security" not in answer.headers
    secure = httpx.AsyncClient(
        transport=httpx.ASGITransport(house.edge), base_url="https://pannier.test"
    )
    assert "max-age=" in (await secure.get("/nowhere")).headers["strict-transport-security"]
