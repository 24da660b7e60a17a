"""Objects lie in a folder or in a bucket, whole and lasting."""

import asyncio
import hashlib
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiohttp import web

from pannier.files.storage import Storage, StorageUnavailable, make_storage, object_path
from pannier.settings import SettingsError, load

DATA = b"some bytes" * 300_000
SHA256 = hashlib.sha256(DATA).digest()


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


async def read(storage: Storage, start: int, end: int) -> bytes:
    return b"".join([part async for part in await storage.stream(SHA256, start, end)])


async def assert_it_keeps(storage: Storage) -> None:
    await storage.put(SHA256, DATA)
    await storage.put(SHA256, DATA)
    assert await storage.get(SHA256) == DATA
    assert await read(storage, 0, len(DATA)) == DATA
    assert await read(storage, 5, 12) == DATA[5:12]
    await storage.delete(SHA256)
    await storage.delete(SHA256)
    with pytest.raises(StorageUnavailable):
        await storage.get(SHA256)
    with pytest.raises(StorageUnavailable):
        await storage.stream(SHA256, 0, 1)


async def test_files_lie_in_the_data_directory_unless_told_otherwise(tmp_path: Path) -> None:
    storage = make_storage(load({}, data=str(tmp_path)))
    await assert_it_keeps(storage)
    assert storage.folder == tmp_path / "files"
    assert (tmp_path / "files").stat().st_mode & 0o777 == 0o700


async def test_files_lie_in_the_folder_of_a_file_address(tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    storage = make_storage(load({}, data=str(tmp_path / "data"), files_url=folder.as_uri()))
    await assert_it_keeps(storage)
    assert folder.is_dir()
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("url", ["ftp://host/x", "files", "s3://", "file://relative", "memory:///"])
def test_an_address_that_names_no_storage_is_told_at_the_start(url: str) -> None:
    with pytest.raises(SettingsError, match="PANNIER_FILES_URL"):
        make_storage(load({}, files_url=url))


async def test_a_damaged_object_is_healed_by_the_next_upload(tmp_path: Path) -> None:
    storage = Storage(tmp_path.as_uri(), len(DATA))
    await storage.put(SHA256, DATA)
    (tmp_path / object_path(SHA256)).write_bytes(b"")
    await storage.put(SHA256, DATA)
    assert await storage.get(SHA256) == DATA


async def test_many_writers_of_the_same_bytes_leave_one_whole_object(tmp_path: Path) -> None:
    storage = Storage(tmp_path.as_uri(), len(DATA))
    await storage.put(SHA256, DATA)

    async def look() -> None:
        for _ in range(20):
            assert await storage.get(SHA256) == DATA

    await asyncio.gather(*(storage.put(SHA256, DATA) for _ in range(10)), look())
    assert files_in(tmp_path) == [tmp_path / object_path(SHA256)]


PROGRAM = """
import asyncio, sys
from pannier.files.storage import Storage

async def main():
    print("obstore" in sys.modules)
    storage = Storage(sys.argv[1], 100)
    await storage.put(bytes(32), b"hello")
    print((await storage.get(bytes(32))).decode())

asyncio.run(main())
"""


@pytest.mark.slow
def test_the_storage_is_loaded_when_first_needed_and_ends_quietly(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path.as_uri()],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["False", "hello"]
    assert done.stderr == ""


@pytest.fixture
async def bucket(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[dict[str, bytes]]:
    """A bucket that speaks as much S3 as is needed, on a real socket."""
    objects: dict[str, bytes] = {}

    async def serve(request: web.Request) -> web.Response:
        assert request.headers["Authorization"].startswith("AWS4-HMAC-SHA256")
        return await answer(objects, request)

    app = web.Application(client_max_size=len(DATA) * 2)
    app.router.add_route("*", "/{path:.*}", serve)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    settings = {
        "AWS_ENDPOINT": f"http://127.0.0.1:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "id",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "here",
    }
    for name, value in settings.items():
        monkeypatch.setenv(name, value)
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)
    yield objects
    await runner.cleanup()


async def answer(objects: dict[str, bytes], request: web.Request) -> web.Response:
    """Put, get (also a part) and delete, as S3 does."""
    path = request.path
    if request.method == "PUT":
        objects[path] = await request.read()
        return web.Response(headers={"ETag": '"tag"'})
    if request.method == "POST" and "delete" in request.query:
        key = re.findall(r"<Key>(.+?)</Key>", await request.text())[0]
        objects.pop(f"{path.rstrip('/')}/{key}", None)
        gone = f"<DeleteResult><Deleted><Key>{key}</Key></Deleted></DeleteResult>"
        return web.Response(text=gone, content_type="application/xml")
    if request.method == "DELETE":
        objects.pop(path, None)
        return web.Response(status=204)
    if path not in objects:
        return web.Response(status=404)
    headers = {"ETag": '"tag"', "Last-Modified": "Thu, 15 Jan 2026 12:00:00 GMT"}
    wanted = request.http_range
    if wanted.start is None:
        return web.Response(body=objects[path], headers=headers)
    part = objects[path][wanted]
    end = wanted.start + len(part) - 1
    headers["Content-Range"] = f"bytes {wanted.start}-{end}/{len(objects[path])}"
    return web.Response(status=206, body=part, headers=headers)


async def test_files_lie_in_a_bucket_when_told_so(bucket: dict[str, bytes]) -> None:
    storage = make_storage(load({}, files_url="s3://parcels/pannier"))
    await storage.put(SHA256, DATA)
    assert bucket == {f"/parcels/pannier/{object_path(SHA256)}": DATA}
    await assert_it_keeps(storage)
    assert bucket == {}


@pytest.mark.slow
async def test_a_bucket_that_is_away_is_told_as_such(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "id")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    with pytest.raises(StorageUnavailable):
        await make_storage(load({}, files_url="s3://parcels")).put(SHA256, b"x")
