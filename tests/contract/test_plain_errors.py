"""Every problem says what is wrong and what to send instead, in the caller's terms."""

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import httpx
import pytest

import pannier
import stage
from architecture.reading import SOURCE
from contract.test_tenancy_in_bodies import COMPONENTS, DOCUMENT
from library_texts import PROBLEM, find_library_text, list_texts
from pannier.db import Database
from pannier.errors import Problem, list_problems
from pannier.kit import wording
from pannier.kit.clock import ManualClock
from pannier.web.openapi.schemas import Schema, resolve
from stage import Firm, House

MAX_TITLE_WORDS: Final = 10
# No field takes all of these; a control character is in no pattern.
WRONG: Final = ("\x07 wrong", -1.5, True, [[]], {}, None)
DEEPEST: Final = 4
# How many fields were sent when this was written; there are only ever more.
FIELDS: Final = 1500


@pytest.fixture
async def installation(database: Database, clock: ManualClock, tmp_path: Path) -> House:
    """A house that counts no requests: here one caller sends thousands."""
    return await stage.build(
        database, clock, str(tmp_path), credential_rate="1000000", address_rate="1000000"
    )


def test_a_problem_has_a_short_title_and_says_what_to_do() -> None:
    # Every module, because which of them are loaded depends on the tests before.
    for module in pkgutil.walk_packages(pannier.__path__, "pannier."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    # Tests have problems of their own, which no caller sees.
    kinds = [kind for kind in list_problems() if kind.__module__.startswith("pannier.")]
    assert len(kinds) > 140
    assert [fault for kind in kinds for fault in list_faults(kind)] == []


def list_faults(kind: type[Problem]) -> Iterator[str]:
    """List what is wrong with the texts of a problem."""
    if len(kind.title.split()) > MAX_TITLE_WORDS:
        yield f"{kind.code}: the title is too long"
    for name in ("title", "remedy"):
        text = getattr(kind, name)
        if name not in vars(kind):
            yield f"{kind.code}: it has no {name} of its own"
        if not text.endswith(".") or ";" in text or find_library_text(text) is not None:
            yield f"{kind.code}: {text}"


def list_messages() -> Iterator[tuple[str, str]]:
    """List the sentences that the sources give to fields, and raise as refusals of a value."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            place = {
                "FieldError": 1,
                "ValueError": 0,
                "InvalidItem": 1,
                "ProxyRefused": 1,
                "ImageRefused": 1,
            }.get(node.func.id)
            if place is None or len(node.args) <= place:
                continue
            text = node.args[place]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", text.value


def test_no_message_in_the_sources_is_a_librarys() -> None:
    found = list(list_messages())
    assert len(found) > 150
    assert [(where, text) for where, text in found if find_library_text(text)] == []


def test_texts_of_libraries_are_recognised() -> None:
    for text in (
        "Expected `int | null`, got `str`.",
        "Object missing required field `name` - at `$.payload`",
        "Invalid enum value 'x'",
        "Expected `str` matching regex '^[a-z]$'.",
        "'utf-8' codec can't decode byte 0xff in position 0",
        "JSON is malformed: invalid character (byte 5)",
        "invalid input for query argument $1: 5",
        "'NoneType' object has no attribute 'lower'",
        "could not convert string to float: 'x'",
        "must be two letters: ^[A-Z]{2}\\Z",
        'duplicate key value violates unique constraint "orders_pkey"',
    ):
        assert find_library_text(text), text


def fill(schema: Schema, value: object, depth: int = 0) -> Any:
    """Build a body in which every field that is no object has this value."""
    schema = resolve(schema, COMPONENTS)
    choices = [resolve(each, COMPONENTS) for each in schema.get("anyOf", [])] or [schema]
    for choice in choices if depth < DEEPEST else []:
        if choice.get("properties"):
            inner = choice["properties"].items()
            return {name: fill(part, value, depth + 1) for name, part in inner}
        if "properties" in resolve(choice.get("items", {}), COMPONENTS):
            return [fill(choice["items"], value, depth + 1)]
    return value


def count_fields(body: object) -> int:
    parts = body.values() if isinstance(body, dict) else body if isinstance(body, list) else []
    return sum(count_fields(part) for part in parts) + (not parts)


async def sign_in_customer(firm: Firm) -> httpx.AsyncClient:
    """Call as a customer of the company's store."""
    from contract.test_authorisation_matrix import person, token  # noqa: PLC0415 - a slow module

    shown = {"Customer-Token": await token(firm.house, await person(firm, "customer"))}
    return firm.house.client(firm.storefront_key, **shown)


def check_fields(answer: httpx.Response, place: str) -> None:
    """Read the messages about each field of a refusal."""
    if answer.headers.get("content-type") != PROBLEM:
        return
    problem = answer.json()
    for text in list_texts(problem):
        assert find_library_text(text) is None, (place, text)
        assert text.endswith("."), (place, text)
        assert wording.FALLBACK not in text, (place, problem["fields"])


@pytest.mark.slow
async def test_wrong_types_in_every_field_are_told_in_the_callers_terms(
    installation: House,
) -> None:
    acme = await installation.found("Acme")
    callers = {
        "apiKey": acme.api,
        "operator": acme.admin,
        "storefrontKey": acme.storefront,
        "customerToken": await sign_in_customer(acme),
    }
    sent = refused = 0
    for template, operations in DOCUMENT["paths"].items():
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            names = {name for each in operation.get("security", []) for name in each}
            caller = next((callers[name] for name in reversed(callers) if name in names), None)
            if content is None or caller is None:
                continue
            path = template.replace("{", "").replace("}", "")
            for wrong in WRONG:
                for body in (fill(content["schema"], wrong), {}, wrong):
                    answer = await caller.request(method, path, json=body)
                    check_fields(answer, f"{method} {template} {body}")
                    sent += count_fields(body)
                    refused += answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert refused > 200
    assert sent > FIELDS


@pytest.mark.slow
async def test_wrong_values_of_every_parameter_are_told_in_the_callers_terms(
    installation: House,
) -> None:
    acme = await installation.found("Acme")
    refused = 0
    for template, operations in DOCUMENT["paths"].items():
        asked = operations.get("get", {}).get("parameters", [])
        names = [each["name"] for each in asked if each.get("in") == "query"]
        if not names or not template.startswith(("/v1/", "/int/v1/", "/storefront/v1/")):
            continue
        area = template.split("/")[1]
        caller = {"v1": acme.api, "int": acme.admin, "storefront": acme.storefront}[area]
        path = template.replace("{", "").replace("}", "")
        for wrong in ("\x07 wrong", "-1.5", "[[]]", "{}", ""):
            answer = await caller.get(path, params=dict.fromkeys(names, wrong))
            check_fields(answer, f"{template} {wrong!r}")
            refused += answer.status_code == httpx.codes.UNPROCESSABLE_ENTITY
    assert refused > 100


async def test_an_amount_that_is_no_whole_number_is_told_so(acme: Firm) -> None:
    rate = {"service_name": "Day", "currency": "SGD", "rate_calculation_method": "fixed_meter"}
    answer = await acme.api.post("/v1/service-rates", json={**rate, "base_fee": "12.50"})
    assert {"path": "base_fee", "message": wording.MINOR_UNITS} in answer.json()["fields"]
