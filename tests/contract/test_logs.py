"""Structured logs: a JSON object a line, with the request id, and never a secret."""

import asyncio
import contextlib
import io
import json
import logging
import re
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

import stage
from pannier.web import logs
from pannier.web.routes import get, post
from probe import Heard, knock, mounted
from stage import Firm, House

WHO = "/v1/organizations/current"


class Ear:
    """Hears what the process writes to standard error."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture
        self.text = ""

    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.read().splitlines()]

    def read(self) -> str:
        self.text += self._capture.readouterr().err
        return self.text


@pytest.fixture
def ear(capfd: pytest.CaptureFixture[str]) -> Iterator[Ear]:
    """Turn the logs on as a server does, and quiet again afterwards."""
    with _logging("auto"):
        yield Ear(capfd)


@pytest.fixture
def reader(capfd: pytest.CaptureFixture[str]) -> Iterator[Ear]:
    """The same for a person who reads along."""
    with _logging("text"):
        yield Ear(capfd)


@contextlib.contextmanager
def _logging(form: logs.LogFormat) -> Iterator[None]:
    before = structlog.get_config()
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    # The file descriptor itself: pytest changes what lies behind `sys.stderr` under way.
    with io.TextIOWrapper(io.FileIO(2, "w", closefd=False), write_through=True) as stderr:
        with contextlib.redirect_stderr(stderr):
            logs.configure("info", form)
        yield
    structlog.configure(**before)
    root.handlers[:] = handlers
    root.setLevel(level)


async def test_every_request_writes_one_line_of_json_with_its_id(acme: Firm, ear: Ear) -> None:
    await acme.api.get(WHO, headers={"X-Request-Id": "trace-1"})
    await acme.api.get("/nowhere", headers={"X-Request-Id": "trace-2"})
    one, two = ear.lines()
    assert one["event"] == two["event"] == "request"
    assert (one["request_id"], one["method"], one["path"]) == ("trace-1", "GET", WHO)
    assert (one["status"], two["status"]) == (200, 404)
    assert one["address"] == "127.0.0.1"
    assert one["milliseconds"] >= 0
    assert one["timestamp"].startswith("2026-01-15T12:00:00")
    assert two["request_id"] == "trace-2"


async def test_the_query_and_the_headers_are_not_in_the_line(acme: Firm, ear: Ear) -> None:
    await acme.api.get(f"{WHO}?token=abc&code=123456", headers={"X-Hint": "a-header-value"})
    ear.lines()
    for word in ("token", "123456", "a-header-value", "Bearer"):
        assert word not in ear.text


@get("/defect")
async def defect() -> None:
    """Fail."""
    raise ValueError("oops")


async def test_a_defect_is_logged_with_its_request_id_and_its_place(house: House, ear: Ear) -> None:
    answer = (
        await mounted(house, defect).client().get("/defect", headers={"X-Request-Id": "oops-1"})
    )
    assert answer.status_code == 500
    failed, request = ear.lines()
    assert failed["event"] == "request failed"
    assert failed["level"] == "error"
    assert failed["request_id"] == request["request_id"] == "oops-1"
    assert "ValueError" in failed["exception"]
    assert "test_logs.py" in failed["exception"]


async def test_a_line_written_by_a_handler_carries_the_request_id_too(
    house: House, ear: Ear
) -> None:
    @post("/talk")
    async def talk() -> list[str]:
        """Say something, in our way and in Python's."""
        logs.log.info("something happened", detail=1)
        logging.getLogger("elsewhere").warning("a library says so")
        return []

    doors = mounted(house, talk)
    names = [f"talk-{number}" for number in range(5)]
    await asyncio.gather(
        *(doors.client().post("/talk", headers={"X-Request-Id": name}) for name in names)
    )
    told = [line for line in ear.lines() if line["event"] != "request"]
    assert len(told) == 10
    assert sorted(line["request_id"] for line in told) == sorted(names * 2)


async def test_no_credential_is_ever_logged_wherever_it_was_put(
    acme: Firm, house: House, ear: Ear
) -> None:
    secrets = [acme.api_key, acme.storefront_key, acme.token]
    made = (await acme.admin.post("/int/v1/keys", json={"kind": "api", "name": "Shop"})).json()
    secrets.append(made["key"])
    for secret in secrets:
        client = house.client(secret)
        await client.get(f"/v1/files/{secret}")
        await client.get(f"/{secret}/x_{secret}")
        await client.get(f"/v1/files?api_key={secret}&{secret}=1", headers={"X-Request-Id": secret})
        await client.post("/int/v1/login", json={"email": secret, "password": secret})
        await client.post("/int/v1/login", content=secret.encode())
        await client.get(WHO, headers={"User-Agent": secret, "Referer": secret, "Cookie": secret})
        await client.request(secret[:20].upper(), "/")
    lines = ear.lines()
    assert len(lines) > 20
    for secret in secrets:
        assert secret.rpartition("_")[2] not in ear.text


async def test_no_password_is_ever_logged(acme: Firm, house: House, ear: Ear) -> None:
    for body in (
        {"email": acme.email("admin"), "password": stage.PASSWORD},
        {"email": acme.email("admin"), "password": "hunter2-hunter2"},
    ):
        await house.client().post("/int/v1/login", json=body)
    await acme.admin.patch("/int/v1/me", json={"password": "hunter2-hunter2"})
    await acme.admin.post("/int/v1/operators", json={"password": "hunter2-hunter2"})
    assert ear.lines()
    assert stage.PASSWORD not in ear.text
    assert "hunter2" not in ear.text


async def test_a_secret_in_an_exceptions_text_is_hidden(acme: Firm, house: House, ear: Ear) -> None:
    secrets = [
        acme.api_key, acme.token, "whsec_c2VjcmV0c2VjcmV0", "Bearer eyJhbGciOi.very.secret",
        "postgresql://pannier:hunter2@db/pannier", "host=db password=hunter2 user=pannier",
    ]  # fmt: skip

    @get("/reveal/{number:int}")
    async def reveal(number: int) -> None:
        """Fail with a secret in one's mouth."""
        raise RuntimeError(f"while using {secrets[number]}!") from KeyError(secrets[number])

    client = mounted(house, reveal).client()
    for number in range(len(secrets)):
        assert (await client.get(f"/reveal/{number}")).status_code == 500
    failed = [line for line in ear.lines() if line["event"] == "request failed"]
    assert len(failed) == len(secrets)
    for hidden in (
        acme.api_key.rpartition("_")[2], acme.token.rpartition("_")[2], "c2VjcmV0", "very.secret",
        "hunter2",
    ):  # fmt: skip
        assert hidden not in ear.text


async def test_values_under_telling_names_are_hidden_at_any_depth(ear: Ear) -> None:
    logs.log.warning(
        "told too much",
        password="hunter2",
        details={"Authorization": "Basic aHVudGVyMg==", "list": [{"client_secret": "hunter2"}]},
        code="123456",
        cookies=("hunter2",),
        harmless="kept",
    )
    (line,) = ear.lines()
    assert line["harmless"] == "kept"
    for secret in ("hunter2", "aHVudGVyMg", "123456"):
        assert secret not in ear.text


async def test_a_hostile_path_cannot_forge_a_line(house: House, ear: Ear) -> None:
    await house.client().get('/a%0a{"event":"request","status":200}%0d%0a%1b[31m%00')
    await house.client().get("/%ff%fe%ed%a0%80")
    assert [line["status"] for line in ear.lines()] == [404, 404]


async def test_a_caller_who_left_is_logged_as_gone(house: House, ear: Ear) -> None:
    async def receive() -> dict[str, Any]:
        return {"type": "http.disconnect"}

    await knock(house.edge, Heard(), method="POST", path="/int/v1/login", receive=receive)
    (line,) = ear.lines()
    assert line["status"] == 499


async def test_a_person_reads_a_line_a_request_with_the_id_of_what_failed(
    house: House, reader: Ear
) -> None:
    client = mounted(house, defect).client()
    await client.get("/nowhere")
    await client.get("/defect", headers={"X-Request-Id": "oops-1"})
    other, failed, *traceback, request = reader.read().splitlines()
    time_of_day = r"\d\d:\d\d:\d\d  "
    assert re.fullmatch(time_of_day + r"404 +\d+\.\d ms  GET    /nowhere", other)
    assert re.fullmatch(time_of_day + r"Request failed: request_id oops-1, path /defect\.", failed)
    assert traceback[-1] == "ValueError: oops"
    assert re.fullmatch(time_of_day + r"500 +\d+\.\d ms  GET    /defect  request oops-1", request)


async def test_a_person_is_shown_no_secret_and_no_escape_code(
    acme: Firm, house: House, reader: Ear
) -> None:
    await house.client().get(f"/v1/files/{acme.api_key}")
    await house.client().get("/a%0a12:00:00  200  GET /b%0d%1b[31m%c2%9b31m")
    logs.log.warning("told too much", password="hunter2", name="Ada\033[31m\nBob")
    assert len(reader.read().splitlines()) == 3
    assert acme.api_key.rpartition("_")[2] not in reader.text
    assert "hunter2" not in reader.text
    assert reader.text.replace("\n", "").isprintable()


async def test_a_token_in_a_path_reaches_neither_the_log_nor_the_metrics(
    acme: Firm, house: House, ear: Ear
) -> None:
    made = await acme.api.post("/v1/devices", json={"name": "Tracker"})
    token = made.json()["token"]
    name, secret = token.split("_")[2:]
    for path in (token, f"{token[:-1]}", f"{token}/more", f"{token}-x", f"x/{token}"):
        for method in ("GET", "POST", "DELETE", "OPTIONS"):
            await house.client().request(method, f"/ingest/osmand/{path}?id=1&lat=1&lon=2")
            await house.client().request(method, f"/ingest/nothing/{path}", content=b"{")
            await house.client().request(method, f"/ingest/{path}")
    told = {line["path"] for line in ear.lines() if line["path"].startswith("/ingest")}
    assert told == {"/ingest/osmand/{token}", "/ingest/…/{token}", "/ingest/…"}
    metrics = await house.metrics()
    assert 'route="/ingest/osmand/{token}"' in metrics
    for shown in (ear.text, metrics):
        assert secret[:-1] not in shown
        assert name not in shown
