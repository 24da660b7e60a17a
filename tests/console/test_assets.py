"""What the console serves beside its pages: found by release, kept for good, in parts if asked."""

from pathlib import Path

import httpx
import pytest

from pannier.console import assets
from probe import refused
from stage import House

MAP = "vendor/maplibre/maplibre-gl.mjs"


async def fetched(house: House, address: str, **headers: str) -> httpx.Response:
    plain = {"Accept-Encoding": "identity", **headers}
    return await house.client().get(address, headers=plain)


async def test_a_file_is_kept_for_good_under_its_release(house: House) -> None:
    answer = await fetched(house, assets.url("vendor/htmx.min.js"))
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    assert answer.content == (assets.VENDOR / "htmx.min.js").read_bytes()


async def test_the_name_of_another_release_gets_what_there_is_now_and_keeps_it_not(
    house: House,
) -> None:
    answer = await fetched(house, "/assets/elder/vendor/htmx.min.js")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "public, no-cache"


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (MAP, "text/javascript"),
        ("vendor/maplibre/maplibre-gl.css", "text/css"),
        ("vendor/countries-50m.json", "application/json"),
        ("vendor/fonts/inter-latin-wght-normal.woff2", "font/woff2"),
    ],
)
async def test_each_kind_is_told_as_browsers_want_it(house: House, path: str, kind: str) -> None:
    answer = await fetched(house, assets.url(path))
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    ["nothing.css", "vendor/.stamp", "..%2fassets.py", "vendor/..%2f..%2fassets.py",
     "vendor/%2e%2e/%2e%2e/assets.py", "%2fetc%2fpasswd"],
)  # fmt: skip
async def test_what_is_not_served_is_not_found(house: House, path: str) -> None:
    refused(await fetched(house, f"/assets/{assets.load_store().release}/{path}"), 404, "not_found")


async def test_large_texts_are_sent_small_and_a_font_as_it_is(house: House) -> None:
    script = await fetched(house, assets.url(MAP), **{"Accept-Encoding": "gzip"})
    assert script.headers["content-encoding"] == "gzip"
    assert script.content == (assets.VENDOR / "maplibre" / "maplibre-gl.mjs").read_bytes()
    assert int(script.headers["content-length"]) < 400_000
    font = assets.url("vendor/fonts/inter-latin-wght-normal.woff2")
    told = await fetched(house, font, **{"Accept-Encoding": "gzip"})
    assert "content-encoding" not in told.headers


async def test_a_part_is_sent_as_it_is(house: House) -> None:
    asked = {"Range": "bytes=10-2009", "Accept-Encoding": "gzip"}
    answer = await fetched(house, assets.url(MAP), **asked)
    whole = (assets.VENDOR / "maplibre" / "maplibre-gl.mjs").read_bytes()
    assert answer.status_code == 206
    assert answer.content == whole[10:2010]
    assert answer.headers["content-range"] == f"bytes 10-2009/{len(whole)}"
    beyond = await fetched(house, assets.url(MAP), Range=f"bytes={len(whole)}-")
    refused(beyond, 416, "range_not_satisfiable")


@pytest.mark.slow
def test_any_change_makes_another_release(tmp_path: Path) -> None:
    static, vendor = tmp_path / "static", tmp_path / "vendor"
    for folder in (static, vendor):
        folder.mkdir()
    (vendor / "icons.json").write_text("{}")
    (static / "console.css").write_text("a {}")
    before = assets.AssetStore(static, vendor).release
    assert assets.AssetStore(static, vendor).release == before
    (static / "console.css").write_text("b {}")
    assert assets.AssetStore(static, vendor).release != before


def test_what_was_never_fetched_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(assets.AssetsMissingError, match="or `scripts/assets`"):
        assets.AssetStore(tmp_path, tmp_path / "vendor")


def test_an_icon_is_drawn_inline_and_says_nothing_by_itself() -> None:
    drawn = assets.render_icon("truck")
    assert drawn.startswith('<svg class="icon" aria-hidden="true"')
    assert "<path " in drawn
    assert "style=" not in drawn
    with pytest.raises(LookupError, match=r"Add it to icons\.txt"):
        assets.render_icon("flying-carpet")


def test_pages_refer_to_their_icons_in_one_file() -> None:
    drawn, file = assets.refer_to_icon("truck"), assets.load_store().files["icons.svg"].decode()
    assert f'href="{assets.url("icons.svg")}#truck"' in drawn
    assert len(drawn) < 110  # pages have hundreds of them
    assert assets.load_store().icons["truck"] in file.partition('<symbol id="truck" ')[2]
    with pytest.raises(LookupError, match=r"Add it to icons\.txt"):
        assets.refer_to_icon("flying-carpet")


def test_an_address_is_of_a_file_that_there_is() -> None:
    with pytest.raises(LookupError, match=r"Asset nothing\.css"):
        assets.url("nothing.css")
