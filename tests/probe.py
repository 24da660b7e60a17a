"""Handlers that exist only in tests, for behaviour of the edge that no endpoint shows."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any, Final

import asyncpg
import httpx
from litestar import Router

from pannier.accounts import auth
from pannier.app import handle_replay
from pannier.settings import Settings
from pannier.web import problems
from pannier.web.edge import Edge
from pannier.web.idempotency import Replay
from pannier.web.limits import RateLimiter
from pannier.web.routes import RoutingApp
from stage import House

PROBLEM: Final = "application/problem+json"
Message = dict[str, Any]


def mounted(house: House, *handlers: Any, settings: Settings | None = None) -> House:
    """Build a house with only these handlers and the database of another house."""
    routers = [
        handler if isinstance(handler, Router) else Router("/", route_handlers=[handler])
        for handler in handlers
    ]
    app = RoutingApp(
        routers, exception_handlers={Replay: handle_replay, Exception: problems.handle_exception}
    )
    edge = Edge(
        app,
        database=house.database,
        settings=settings or house.settings,
        limiter=RateLimiter(None, slots=1024),
        services=house.edge.services,
    )
    return replace(house, edge=edge)


def keyed(*handlers: Any) -> Router:
    """Put handlers under `/v1`, for API keys."""
    return Router("/v1", route_handlers=list(handlers), before_request=auth.require_api_key(None))


def shop(*handlers: Any) -> Router:
    """Put handlers under `/storefront/v1`, for storefront keys."""
    return Router(
        "/storefront/v1", route_handlers=list(handlers), before_request=auth.require_storefront_key
    )


async def documented(house: House, path: str, method: str = "post") -> set[str]:
    """Name the refusals that the document knows of an operation, by their codes."""
    told = (await house.client().get("/openapi.json")).json()
    answers = told["paths"][path][method]["responses"].values()
    named = [answer["$ref"].rpartition("/")[2] for answer in answers if "$ref" in answer]
    problems = [told["components"]["responses"][name]["content"][PROBLEM] for name in named]
    return {code for problem in problems for code in problem["examples"]}


async def knock(
    edge: Edge,
    send: Callable[[Message], Awaitable[None]],
    *,
    method: str = "GET",
    path: str = "/",
    query: bytes = b"",
    headers: list[tuple[bytes, bytes]] | None = None,
    receive: Callable[[], Awaitable[Message]] | None = None,
    client: tuple[str, int] | None = ("127.0.0.1", 40000),
) -> None:
    """Call the edge without a client in between, as a server does."""

    told, answered = False, asyncio.Event()

    async def nothing() -> Message:
        nonlocal told
        if told:
            await answered.wait()
            return {"type": "http.disconnect"}
        told = True
        return {"type": "http.request", "body": b"", "more_body": False}

    async def listen(message: Message) -> None:
        await send(message)
        if message["type"] == "http.response.body" and not message.get("more_body"):
            answered.set()

    scope: Any = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query,
        "root_path": "",
        "headers": headers or [],
        "client": client,
        "server": ("pannier.test", 80),
    }
    await edge(scope, receive or nothing, listen)  # type: ignore[arg-type]  # plain dictionaries are messages


class Heard:
    """What the edge sent, message by message."""

    def __init__(self) -> None:
        self.messages: list[Message] = []

    async def __call__(self, message: Message) -> None:
        self.messages.append(message)

    @property
    def status(self) -> int:
        status: int = self.messages[0]["status"]
        return status

    @property
    def headers(self) -> dict[bytes, bytes]:
        return dict(self.messages[0]["headers"])

    @property
    def body(self) -> bytes:
        return b"".join(message.get("body", b"") for message in self.messages[1:])


@asynccontextmanager
async def table(url: str, name: str, columns: str) -> AsyncIterator[None]:
    """A table of the test's own."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(f"create table {name} ({columns})")
        yield
        await connection.execute(f"drop table {name} cascade")
    finally:
        await connection.close()


@asynccontextmanager
async def refusing_writes(url: str, table: str, state: str, *, times: int) -> AsyncIterator[None]:
    """Have the server refuse so many writes to a table, with an error of its own (SQLSTATE)."""
    connection = await asyncpg.connect(url)
    try:
        await connection.execute(
            f"""create sequence refusals;
                create function refuse() returns trigger language plpgsql as $$ begin
                    if nextval('refusals') <= {times} then
                        raise exception 'refused by the test' using errcode = '{state}';
                    end if;
                    return null;
                end $$;
                create constraint trigger refuse after insert or update on {table}
                deferrable initially deferred for each row execute function refuse()"""
        )
        yield
    finally:
        await connection.execute("drop function refuse cascade; drop sequence refusals")
        await connection.close()


async def hang_up(url: str) -> int:
    """End every connection of ours to the database, as its restart would."""
    connection = await asyncpg.connect(url)
    try:
        rows = await connection.fetch(
            """select pg_terminate_backend(pid, 60000) from pg_stat_activity
               where application_name = 'pannier' and datname = current_database()"""
        )
        return len(rows)
    finally:
        await connection.close()


def refused(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """Check that an answer is this refusal, spelled as the contract has it, and open it."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    body: dict[str, Any] = answer.json()
    assert body["code"] == code, body
    assert body["status"] == status
    assert body["type"] == f"/docs/errors#{code}"
    assert body["title"].endswith(".")
    assert body["error"] == body["detail"]
    assert body["detail"]
    assert body["errors"]
    assert all(isinstance(sentence, str) for sentence in body["errors"])
    assert body["request_id"]
    assert all(set(field) == {"path", "message"} for field in body["fields"])
    return body


def paths(answer: httpx.Response) -> list[str]:
    """List the fields a validation refusal names."""
    return [field["path"] for field in refused(answer, 422, "validation_failed")["fields"]]
