"""Proofs of delivery: found over all orders, looked at, checked, and taken away."""

import zipfile
from io import BytesIO

import pytest
from playwright.async_api import expect

from console.browser import Tabs, axe
from console.seat import Seat
from proofs.evidence import Courier
from stage import Firm, House

HERE = {"latitude": 1.404, "longitude": 103.79}
ELSEWHERE = {"latitude": 1.284, "longitude": 103.851}


@pytest.fixture
def courier(acme: Firm) -> Courier:
    return Courier(acme)


@pytest.mark.slow
async def test_the_gallery_shows_pictures_and_is_filtered_by_its_address(
    seat: Seat, courier: Courier
) -> None:
    first, second = await courier.careful("signature"), await courier.careful("scan")
    signed = await courier.signed(first)
    scanned = await courier.scanned(second)
    page = await seat.open("/console/proofs")
    assert {f"/console/proofs/{one['id']}" for one in (signed, scanned)} <= set(page.links())
    (picture,) = page.main.one("ul", class_="gallery").all("img")
    assert picture["src"].startswith("/files/")
    assert (await seat.client.get(picture["src"])).status_code == 200
    for query in ("method=scan", f"order={second['id']}", "since=2026-01-01T00:00&method=scan"):
        page = await seat.open(f"/console/proofs?{query}")
        chosen = [box["value"] for box in page.main.all("input", name="id")]
        assert chosen == [scanned["id"]]
    assert (
        "No proofs match" in (await seat.open("/console/proofs?until=2026-01-01T00:00")).main.text
    )
    wrong = await seat.open("/console/proofs?driver=driver_nobody")
    assert wrong.main.one("p", role="alert").text


async def test_a_proof_tells_where_and_when_it_was_and_that_it_is_untouched(
    seat: Seat, courier: Courier
) -> None:
    order = await courier.careful("signature")
    proof = await courier.signed(
        order, signer_name="Ada", location=ELSEWHERE, device={"platform": "android"}
    )
    page = await seat.open(f"/console/proofs/{proof['id']}")
    told = page.main.text
    assert "Unchanged since" in told
    assert "Hash matches the contents" in told
    assert "from the stop" in told
    assert proof["integrity"]["hash"] in told
    assert "Platform: Android" in told
    assert "Ada" in told
    assert f"/console/orders/{order['id']}/proof-sheet.pdf" in page.links()


async def test_a_typed_code_that_matches_nothing_is_marked_on_every_page(
    seat: Seat, courier: Courier
) -> None:
    order = await courier.careful("scan")
    proof = await courier.captured(order, "capture-qr", code="WRONG-1", entry="typed")
    for path in (f"proofs/{proof['id']}", "proofs", f"orders/{order['id']}"):
        told = (await seat.open(f"/console/{path}")).main.text
        assert "Typed" in told, path
        assert "Unmatched code" in told, path
    number = order["tracking_number"]["tracking_number"]
    right = await courier.captured(order, "capture-qr", code=number, entry="scanned")
    told = (await seat.open(f"/console/proofs/{right['id']}")).main.text
    assert "Scanned" in told
    assert "Unmatched code" not in told


async def test_a_proof_that_was_tampered_with_is_called_so(
    seat: Seat, courier: Courier, house: House
) -> None:
    proof = await courier.scanned(await courier.careful("scan"))
    async with house.database.transaction() as db:
        await db.execute(
            "update proofs set raw_data = 'other' where public_id = :name", name=proof["id"]
        )
    page = await seat.open(f"/console/proofs/{proof['id']}")
    assert "This proof is not valid" in page.main.text
    assert page.main.all("p", role="alert")


@pytest.mark.slow
async def test_chosen_proofs_come_as_one_archive(seat: Seat, courier: Courier) -> None:
    proofs = [await courier.signed(await courier.careful("signature")) for _ in range(2)]
    query = "&".join(f"id={proof['id']}" for proof in proofs)
    answer = await seat.client.get(f"/console/proofs.zip?{query}")
    assert answer.status_code == 200
    with zipfile.ZipFile(BytesIO(answer.content)) as packed:
        folders = {name.partition("/")[0] for name in packed.namelist()}
    assert folders == {proof["order_id"] for proof in proofs}
    nothing = await seat.open("/console/proofs.zip", status=422)
    assert nothing.heading


async def test_anothers_proofs_are_not_there(rival: Firm, courier: Courier) -> None:
    proof = await courier.scanned(await courier.careful("scan"))
    stranger = await Seat.of(rival)
    await stranger.open(f"/console/proofs/{proof['id']}", status=404)
    await stranger.open(f"/console/proofs.zip?id={proof['id']}", status=404)
    assert proof["id"] not in (await stranger.open("/console/proofs")).main.text


@pytest.mark.slow
async def test_an_operator_finds_a_proof_looks_at_it_and_takes_it_away(
    browse: Tabs, courier: Courier
) -> None:
    order = await courier.careful("signature")
    proof = await courier.signed(order, location=HERE)
    await courier.scanned(await courier.careful("scan"))
    tab = await browse(role="viewer", maps=False)
    await tab.goto("/console/proofs")
    await tab.get_by_label("Method").select_option("signature")
    await tab.wait_for_url("**/console/proofs?method=signature")
    await tab.locator("input[name=id]").check()
    async with tab.expect_download() as taking:
        await tab.get_by_role("button", name="Download selected (ZIP)").click()
    assert (await taking.value).suggested_filename == "proofs.zip"
    await tab.locator(".gallery a").first.click()
    await tab.wait_for_url(f"**/console/proofs/{proof['id']}")
    assert "Unchanged since" in await tab.locator("main").inner_text()
    shown = await tab.locator(".exhibit img").evaluate("image => image.decode().then(() => true)")
    assert shown


@pytest.mark.slow
async def test_the_link_to_the_proof_with_the_same_image_is_underlined(
    browse: Tabs, courier: Courier
) -> None:
    first, second = [await courier.careful("photo") for _ in range(2)]
    await courier.photographed(first)
    reused = await courier.photographed(second)
    tab = await browse(role="viewer", maps=False)
    await tab.goto(f"/console/proofs/{reused['id']}")
    await expect(tab.get_by_role("link", name="proof of another order")).to_be_visible()
    assert await axe(tab, "link-in-text-block") == []
