"""The document against the doors: schemathesis makes requests of it that nobody would think of.

No answer is a 5xx, and each has a status, a media type, headers and a body that the document
promises. The suite sends three to each route; `make fuzz` sends as many as PANNIER_FUZZ
says, to every twin of a route and with wrong requests too.
"""

import asyncio
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, Phase, assume, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.core.failures import Failure, FailureGroup
from schemathesis.generation import GenerationMode
from schemathesis.generation.case import Case
from schemathesis.specs.openapi import checks

import stage
from contract import test_every_route as doors
from contract.test_authorisation_matrix import person, token
from contract.test_tenancy_in_bodies import DOCUMENT, MAKERS, fields
from contract.test_tenancy_in_bodies import Path as Spot
from pannier.db import Database
from pannier.kit.clock import ManualClock
from stage import Firm

LONGEST_ADDRESS: Final = 60_000
EXAMPLES: Final = int(os.environ.get("PANNIER_FUZZ", "0"))
TIMEOUT_SECONDS: Final = 7200 if EXAMPLES else 600
# Takes half a minute, and what it watches is watched by other tests more closely.
pytestmark = [pytest.mark.slow, pytest.mark.properties, pytest.mark.timeout(TIMEOUT_SECONDS)]
CHECKS: Final = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]
SETTINGS: Final = settings(
    max_examples=EXAMPLES or 3,
    database=None,
    deadline=None,
    derandomize=not EXAMPLES,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
MODES: Final = list(GenerationMode) if EXAMPLES else [GenerationMode.POSITIVE]
CREDENTIALS: Final = {"/v1": "API key", "/storefront/v1": "storefront key", "/int/v1": "operator"}


def operations() -> Iterator[Any]:
    """List what the document has; of twins, which share a handler, one is enough in the suite.

    Programs and the console have some in common, which take and answer the same.
    """
    seen: set[tuple[str, str, str]] = set()
    for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations():
        operation = found.ok()
        raw = operation.definition.raw
        answers = {status: told for status, told in raw["responses"].items() if status < "300"}
        twin = (
            operation.path.removeprefix("/int"),
            raw["summary"],
            json.dumps([raw.get("requestBody"), answers], sort_keys=True),
        )
        if known(operation.path) and (EXAMPLES or twin not in seen):
            seen.add(twin)
            yield operation


def ordered() -> list[Any]:
    """What deletes comes last, and before it what changes how everything else is answered."""
    late = ("/int/v1/settings", "/int/v1/storefronts")
    return sorted(operations(), key=lambda one: (one.method == "delete", one.path.startswith(late)))


def known(path: str) -> bool:
    """Tell whether a credential opens it, and whether what follows stays on this machine."""
    return path.startswith(tuple(CREDENTIALS)) and not path.endswith("/ping")


class Fuzz:
    """Sends what schemathesis makes, through the house's own door."""

    def __init__(self, firm: Firm, things: dict[str, str]) -> None:
        self.firm, self.things = firm, things
        self.paths: dict[str, str] = {}
        self.loop = asyncio.get_running_loop()
        self.counted: dict[str, Counter[int]] = {name: Counter() for name in CREDENTIALS.values()}
        self.wrong: dict[str, str] = {}

    async def prepare(self, operation: Any) -> Callable[[], None]:
        """Get ready for a door: a caller of its own, as some doors end a sign-in, and real ids."""
        client = await doors.caller_for(self.firm, operation.path)
        if operation.path.startswith("/int/"):
            operator = await person(self.firm, "operator", "admin")
            client = self.firm.house.client(await token(self.firm.house, operator))
        real = {name: await self.real(name) for name in doors.parameters(operation.path)}
        return lambda: self.explore(operation, client, real)

    async def real(self, name: str) -> str:
        """Name something that is there, until a door deletes it; those stand last."""
        if name not in self.paths:
            self.paths[name] = await doors.MAKERS[name](self.firm)
        return self.paths[name]

    def explore(self, operation: Any, client: httpx.AsyncClient, real: dict[str, str]) -> None:
        """Come to a door, with things that are there and with things that are not."""
        named = list(references(operation))
        made = st.one_of(*[operation.as_strategy(mode) for mode in MODES])

        @SETTINGS
        @given(made, st.booleans())
        def every(case: Case, known: bool) -> None:  # noqa: FBT001 - hypothesis' own
            if known:
                case.path_parameters.update(real)
                for spot, kind in named:
                    put(case.body, spot, self.things[kind])
            self._send(case, client)

        every()

    def _send(self, case: Case, client: httpx.AsyncClient) -> None:
        kwargs = case.as_transport_kwargs(base_url="http://pannier.test")
        asked = requests.Request(**kwargs).prepare()
        # What the client shows wins over what was made up.
        heads = {k: v for k, v in asked.headers.items() if k.lower() not in client.headers}
        body = asked.body.encode() if isinstance(asked.body, str) else asked.body
        # The porter refuses such a head before anything of ours sees it, and httpx sends none.
        assume(len(str(asked.url)) < LONGEST_ADDRESS)
        sending = client.request(str(asked.method), str(asked.url), headers=heads, content=body)
        answer = asyncio.run_coroutine_threadsafe(sending, self.loop).result()
        prefix = next(each for each in CREDENTIALS if case.operation.path.startswith(each))
        self.counted[CREDENTIALS[prefix]][answer.status_code] += 1
        try:
            case.validate_response(answer, checks=CHECKS)
        except (Failure, FailureGroup) as found:
            told = str(found.exceptions if isinstance(found, FailureGroup) else found)
            self.wrong.setdefault(f"{case.operation.label} {answer.status_code}", told[:600])

    def report(self) -> str:
        """Tell how many requests there were, and what they were answered."""
        total = sum(sum(counted.values()) for counted in self.counted.values())
        rows = (
            f"{name:16} " + "  ".join(f"{status}: {n}" for status, n in sorted(counted.items()))
            for name, counted in self.counted.items()
        )
        return "\n".join([f"{total} requests, {len(self.wrong)} wrong answers", *rows])


def references(operation: Any) -> Iterator[tuple[Spot, str]]:
    """List where a body names something, and what."""
    content = operation.definition.raw.get("requestBody", {}).get("content", {})
    schema = content.get("application/json", {}).get("schema", {})
    return iter(dict.fromkeys(fields(schema)))


def put(body: Any, spot: Spot, value: str) -> None:
    """Put a value where a body has one already."""
    for part in spot[:-1]:
        try:
            body = body[part]
        except (LookupError, TypeError):
            return
    if isinstance(body, dict) and isinstance(body.get(spot[-1]), str):
        body[spot[-1]] = value


async def test_no_answer_is_against_the_document(
    database: Database,
    clock: ManualClock,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rates = {"credential_rate": "1000000", "address_rate": "1000000"}
    acme = await (await stage.build(database, clock, str(tmp_path), **rates)).found("Acme")
    fuzz = Fuzz(acme, {kind: await make(acme) for kind, make in MAKERS.items()})
    # All of it first: what is sent changes what can be made.
    for explore in [await fuzz.prepare(operation) for operation in ordered()]:
        await asyncio.to_thread(explore)
    with capsys.disabled():
        print(f"\n{fuzz.report()}")  # noqa: T201 - the counts are the result
    assert not fuzz.wrong, "\n\n".join(f"{where}\n{told}" for where, told in fuzz.wrong.items())
