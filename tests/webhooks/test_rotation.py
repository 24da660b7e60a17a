"""Rotating a secret: a new one takes over, and nobody has to hurry."""

from datetime import UTC, datetime
from typing import Any, Final

import pytest
from standardwebhooks import Webhook as Standard

import stage
from pannier.web.times import to_rfc3339
from pannier.webhooks.signing import sign_legacy
from pannier.webhooks.verifying import InvalidSignature, verify
from probe import paths
from stage import Firm
from webhooks.office import Office, Request

HERE: Final = "/int/v1/webhooks"


@pytest.fixture
def office(acme: Firm) -> Office:
    return Office.of(acme)


async def rotated(firm: Firm, webhook: dict[str, Any], **wishes: Any) -> dict[str, Any]:
    """Rotate a while after the last time, as people do."""
    firm.house.clock.advance(seconds=1)
    answer = await firm.admin.post(f"{HERE}/{webhook['id']}/rotate-secret", json=wishes)
    assert answer.status_code == 200, answer.text
    row: dict[str, Any] = answer.json()
    return row


async def delivered(office: Office) -> Request:
    await office.tell()
    await office.work()
    return office.receivers.requests[-1]


def accepts(request: Request, secret: str) -> bool:
    """Tell whether a receiver with this secret, and our own snippet, takes a request."""
    try:
        verify(request.body, request.headers, secret, now=request.at.timestamp())
    except InvalidSignature:
        return False
    return True


def signer(request: Request, *secrets: str) -> int:
    """Tell which of the secrets signed the header that has room for one."""
    shown = request.headers["X-Service-Signature"]
    return [sign_legacy(request.body, secret, "prefixed") for secret in secrets].index(shown)


async def test_while_the_grace_lasts_both_secrets_verify(acme: Firm, office: Office) -> None:
    made = await office.register()
    new = await rotated(acme, made, grace_seconds=3600)
    assert new["secret"].startswith("whsec_")
    assert new["secret"] != made["secret"]
    assert new["id"] == made["id"]
    old, young = new["secrets"]
    assert old["id"] == made["secrets"][0]["id"]
    assert old["expires_at"] == "2026-01-15T13:00:01.000Z"
    assert (young["expires_at"], young["leads_at"]) == (None, "2026-01-15T12:00:01.000Z")

    during = await delivered(office)
    assert accepts(during, made["secret"])
    assert accepts(during, new["secret"])
    assert signer(during, made["secret"], new["secret"]) == 1
    previous = during.headers["X-Service-Signature-Previous"]
    assert previous == sign_legacy(during.body, made["secret"], "prefixed")

    acme.house.clock.advance(seconds=3600)
    after = await delivered(office)
    assert not accepts(after, made["secret"])
    assert accepts(after, new["secret"])
    read = (await acme.admin.get(f"{HERE}/{made['id']}")).json()
    assert [one["id"] for one in read["secrets"]] == [young["id"]]


async def test_the_independent_library_takes_both_too(acme: Firm, office: Office) -> None:
    made = await office.register()
    new = await rotated(acme, made)
    # That library believes only the machine's own clock.
    acme.house.clock.advance(seconds=(datetime.now(UTC) - stage.NOON).total_seconds())
    await acme.admin.patch(f"{HERE}/{made['id']}", json={})
    new = await rotated(acme, made)
    request = await delivered(office)
    assert Standard(new["secret"]).verify(request.body, request.headers)["event"] == "order.created"


async def test_the_new_secret_may_wait_until_the_grace_ends(acme: Firm, office: Office) -> None:
    made = await office.register()
    new = await rotated(acme, made, grace_seconds=60, switch="at_end")
    assert new["secrets"][1]["leads_at"] == "2026-01-15T12:01:01.000Z"
    during = await delivered(office)
    assert signer(during, made["secret"], new["secret"]) == 0
    assert accepts(during, made["secret"])
    assert accepts(during, new["secret"])
    acme.house.clock.advance(seconds=60)
    after = await delivered(office)
    assert signer(after, made["secret"], new["secret"]) == 1
    assert not accepts(after, made["secret"])


async def test_without_grace_a_leaked_secret_is_worthless_at_once(
    acme: Firm, office: Office
) -> None:
    made = await office.register()
    between = await rotated(acme, made)
    new = await rotated(acme, made, grace_seconds=0)
    assert len(new["secrets"]) == 1
    request = await delivered(office)
    assert accepts(request, new["secret"])
    assert not accepts(request, made["secret"])
    assert not accepts(request, between["secret"])
    kept = await acme.house.value("select jsonb_array_length(secrets) from webhooks")
    assert kept == 1


async def test_a_later_rotation_lets_nothing_live_longer(acme: Firm, office: Office) -> None:
    made = await office.register()
    first = await rotated(acme, made, grace_seconds=60)
    then = await rotated(acme, made, grace_seconds=604_800)
    ends = {one["id"]: one["expires_at"] for one in then["secrets"]}
    assert ends[made["secrets"][0]["id"]] == first["secrets"][0]["expires_at"]
    assert ends[first["secrets"][1]["id"]] == "2026-01-22T12:00:02.000Z"


async def test_five_secrets_live_at_the_most(acme: Firm, office: Office) -> None:
    made = await office.register()
    secrets = [made["secret"]]
    for _ in range(6):
        row = await rotated(acme, made)
        secrets.append(row["secret"])
    assert len(row["secrets"]) == 5
    request = await delivered(office)
    assert [accepts(request, secret) for secret in secrets] == [False] * 2 + [True] * 5
    assert len(request.headers["webhook-signature"].split()) == 5


async def test_a_retry_after_a_rotation_is_signed_with_the_new_secret(
    acme: Firm, office: Office
) -> None:
    made = await office.register()
    await office.tell()
    await office.relay()
    new = await rotated(acme, made, grace_seconds=0)
    await office.work()
    assert accepts(office.receivers.requests[0], new["secret"])


async def test_a_day_unless_said_otherwise(acme: Firm, office: Office) -> None:
    made = await office.register()
    new = await rotated(acme, made)
    assert new["secrets"][0]["expires_at"] == "2026-01-16T12:00:01.000Z"
    assert new["version"] == 2
    assert new["updated_at"] == to_rfc3339(acme.house.clock.now())


@pytest.mark.parametrize(
    ("field", "wrong"), [("grace_seconds", -1), ("grace_seconds", 604_801), ("switch", "later")]
)
async def test_a_rotation_out_of_bounds_is_refused(
    acme: Firm, office: Office, field: str, wrong: Any
) -> None:
    made = await office.register()
    answer = await acme.admin.post(f"{HERE}/{made['id']}/rotate-secret", json={field: wrong})
    assert paths(answer) == [field]


async def test_the_new_secret_is_shown_once_to_programs_too(acme: Firm, office: Office) -> None:
    made = await office.register()
    key = {"Idempotency-Key": "rotate"}
    path = f"/v1/webhooks/{made['id']}/rotate-secret"
    first = await acme.api.post(path, json={}, headers=key)
    again = await acme.api.post(path, json={}, headers=key)
    assert first.json()["secret"] == again.json()["secret"]
    assert await acme.house.value("select jsonb_array_length(secrets) from webhooks") == 2
    assert "whsec_" not in (await acme.api.get(f"/v1/webhooks/{made['id']}")).text
