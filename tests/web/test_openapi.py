"""The document says what the routes do, completely and without contradicting itself."""

import json
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal
from uuid import UUID

import msgspec
import pytest
from litestar import Litestar, Response, Router
from msgspec import Meta

from pannier.accounts import auth
from pannier.app import EVENT_DATA_TYPES, build_litestar
from pannier.db import PageIn
from pannier.errors import Conflict, list_problems
from pannier.events.catalog import CATALOG
from pannier.web.documented_types import document_as
from pannier.web.openapi import build_document
from pannier.web.openapi.operation_ids import LINK_NAMES, WRITTEN_NAMES, make_operation_id
from pannier.web.openapi.schemas import SchemaNameClashError
from pannier.web.openapi.security import SCHEMES
from pannier.web.openapi.shared_schemas import ENUMERATIONS
from pannier.web.openapi.tags import TAG_DESCRIPTIONS
from pannier.web.routes import delete, get, post

ROOT = Path(__file__).resolve().parents[2]
BASE = "https://pannier.example.com"
TYPES: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "null": type(None),
    "integer": int, "number": (int, float),
}  # fmt: skip
FORMATS = {"uuid": UUID, "date-time": datetime.fromisoformat}


def violations(value: Any, schema: dict[str, Any], components: dict[str, Any]) -> Iterator[str]:
    """Check a value against as much of JSON Schema as the document uses."""
    yield from _composed(value, schema, components)
    kind = schema.get("type")
    if kind is not None and not _typed(value, kind):
        yield f"{value!r} is not of type {kind}"
        return
    yield from _bounds(value, schema)
    if isinstance(value, dict):
        yield from _object(value, schema, components)
    if isinstance(value, list):
        yield from _array(value, schema, components)


def _composed(value: Any, schema: dict[str, Any], components: dict[str, Any]) -> Iterator[str]:
    if "$ref" in schema:
        section, name = schema["$ref"].removeprefix("#/components/").split("/")
        yield from violations(value, components[section][name], components)
    for part in schema.get("allOf", []):
        yield from violations(value, part, components)
    for word in ("anyOf", "oneOf"):
        choices = schema.get(word)
        if choices and all(list(violations(value, one, components)) for one in choices):
            yield f"{value!r} is none of {choices}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{value!r} is not in {schema['enum']}"
    if "const" in schema and value != schema["const"]:
        yield f"{value!r} is not {schema['const']!r}"


def _array(value: list[Any], schema: dict[str, Any], components: dict[str, Any]) -> Iterator[str]:
    items = schema.get("prefixItems", [])
    for index, one in enumerate(value):
        inner = items[index] if index < len(items) else schema.get("items")
        if isinstance(inner, dict):
            yield from violations(one, inner, components)


def _typed(value: Any, kind: str | list[str]) -> bool:
    if isinstance(kind, list):
        return any(_typed(value, one) for one in kind)
    if isinstance(value, bool):
        return kind == "boolean"
    return isinstance(value, TYPES[kind])


def _bounds(value: Any, schema: dict[str, Any]) -> Iterator[str]:
    numeric = _typed(value, "number")
    if numeric and not schema.get("minimum", value) <= value <= schema.get("maximum", value):
        yield f"{value} is out of bounds"
    if isinstance(value, (str, list)):
        unit = "Length" if isinstance(value, str) else "Items"
        least, most = schema.get(f"min{unit}", 0), schema.get(f"max{unit}", len(value))
        if not least <= len(value) <= most:
            yield f"{value!r} is too short or too long"
    if isinstance(value, str):
        if "pattern" in schema and not re.search(schema["pattern"], value):
            yield f"{value!r} does not match {schema['pattern']}"
        try:
            FORMATS.get(schema.get("format", ""), str)(value)
        except ValueError:
            yield f"{value!r} is no {schema['format']}"


def _object(
    value: dict[str, Any], schema: dict[str, Any], components: dict[str, Any]
) -> Iterator[str]:
    yield from (f"{name} is missing" for name in schema.get("required", []) if name not in value)
    known = schema.get("properties", {})
    others = schema.get("additionalProperties")
    for name, one in value.items():
        inner = known.get(name, others)
        if isinstance(inner, dict):
            yield from (f"{name}: {wrong}" for wrong in violations(one, inner, components))


def of(app: Litestar) -> dict[str, Any]:
    """Read the document as a client would."""
    read: dict[str, Any] = msgspec.json.decode(build_document(app, BASE).encoded)
    return read


@pytest.fixture(scope="module")
def told() -> dict[str, Any]:
    return of(build_litestar())


def operations(told: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in told["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def follow(told: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    if "$ref" not in part:
        return part
    section, name = part["$ref"].removeprefix("#/components/").split("/")
    found: dict[str, Any] = told["components"][section][name]
    return found


def parameters(told: dict[str, Any], operation: dict[str, Any]) -> list[dict[str, Any]]:
    return [follow(told, one) for one in operation["parameters"]]


def media(told: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every body that is sent or answered, with the place it stands at."""
    for path, method, operation in operations(told):
        sent = [operation["requestBody"]] if "requestBody" in operation else []
        for part in [*sent, *operation["responses"].values()]:
            for kind, content in follow(told, part).get("content", {}).items():
                yield f"{method} {path} {kind}", content


def walk(node: Any) -> Iterator[dict[str, Any]]:
    if isinstance(node, dict):
        yield node
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(part)


# The whole interface.


def test_every_route_is_in_the_document(told: dict[str, Any]) -> None:
    hidden = {"/openapi.json", "/docs", "/docs/errors", "/docs/style.css", "/docs/{place}"}
    for route in build_litestar().routes:
        for method in getattr(route, "methods", ()):
            if method in {"HEAD", "OPTIONS"} or route.path_format in hidden:
                continue
            interface = re.match(r"/(int/|storefront/)?v1/", route.path_format)
            shown = route.route_handler_map[method][0].resolve_include_in_schema()  # type: ignore[union-attr]  # of an HTTP route
            if interface or shown:
                assert method.lower() in told["paths"][route.path_format], route.path


def test_the_document_calls_itself_openapi_3_1(told: dict[str, Any]) -> None:
    assert told["openapi"] == "3.1.0"
    assert told["info"]["title"] == "Pannier"
    assert re.match(r"\d+\.\d+\.\d+", told["info"]["version"])
    assert "Idempotency-Key" in told["info"]["description"]
    assert told["servers"][0]["url"] == BASE


def test_every_reference_leads_somewhere(told: dict[str, Any]) -> None:
    for node in walk(told):
        if "$ref" in node:
            section, name = node["$ref"].removeprefix("#/components/").split("/")
            assert name in told["components"][section], node["$ref"]


def test_component_names_are_readable(told: dict[str, Any]) -> None:
    for name in told["components"]["schemas"]:
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*(_[A-Z][A-Za-z0-9]*)*", name), name


def test_every_operation_has_its_parts(told: dict[str, Any]) -> None:
    tags = {tag["name"] for tag in told["tags"]}
    for path, method, operation in operations(told):
        place = f"{method} {path}"
        assert operation["summary"], f"{place} has no docstring"
        assert operation["description"], place
        assert operation["tags"], f"{place} has no tag"
        assert set(operation["tags"]) <= tags, place
        assert {"429", "500"} <= operation["responses"].keys(), place
        assert any(status < "400" for status in operation["responses"]), place
        for requirement in operation["security"]:
            assert requirement.keys() <= told["components"]["securitySchemes"].keys(), place
        if operation["security"]:
            assert {"401", "403", "503"} <= operation["responses"].keys(), place


def test_every_operation_names_the_scope_or_role_it_asks_for(told: dict[str, Any]) -> None:
    paths = told["paths"]
    asked = "x-required-access"
    assert paths["/v1/orders"]["post"][asked] == [{"apiKey": ["orders:write"]}]
    assert paths["/v1/orders"]["post"]["security"] == [{"apiKey": []}]
    assert paths["/v1/orders"]["get"][asked] == [{"apiKey": ["orders:read"]}, {"driverToken": []}]
    assert {"operator": ["admin"]} in paths["/int/v1/keys"]["post"][asked]
    for path, method, operation in operations(told):
        for requirement in operation.get(asked, operation["security"]):
            assert requirement.get("operator") != [], f"{method} {path}"


def test_operation_ids_are_unique(told: dict[str, Any]) -> None:
    names = [operation["operationId"] for _, _, operation in operations(told)]
    assert len(set(names)) == len(names), sorted({name for name in names if names.count(name) > 1})


def test_an_operation_of_another_method_names_the_one_it_repeats(told: dict[str, Any]) -> None:
    ids = {operation["operationId"] for _, _, operation in operations(told)}
    for path, method, operation in operations(told):
        repeated = re.fullmatch(r"(.+)By(Put|Patch)", operation["operationId"])
        assert operation.get("x-repeats") == (repeated and repeated[1]), f"{method} {path}"
        assert operation.get("x-repeats", operation["operationId"]) in ids
    order = told["paths"]["/v1/orders/{order_id}"]
    assert "`meta` is replaced" in order["put"]["description"]


def test_every_shared_enumeration_is_in_use(told: dict[str, Any]) -> None:
    schemas = told["components"]["schemas"]
    assert ENUMERATIONS.keys() <= schemas.keys(), "their values changed: write the new ones there"
    assert schemas["ProofMethod"]["enum"] == ["photo", "scan", "signature", "sms"]
    reference = {"$ref": "#/components/schemas/JsonObject"}
    assert reference.items() <= schemas["OrderOut"]["properties"]["meta"].items()


def test_every_tag_is_described(told: dict[str, Any]) -> None:
    names = {tag["name"] for tag in told["tags"]}
    assert names == TAG_DESCRIPTIONS.keys()
    assert all(tag["description"].endswith(".") for tag in told["tags"])


def test_every_event_is_a_webhook_with_its_schema(told: dict[str, Any]) -> None:
    assert told["webhooks"].keys() == {*EVENT_DATA_TYPES} >= {entry.name for entry in CATALOG}
    for name, item in told["webhooks"].items():
        body = item["post"]["requestBody"]["content"]["application/json"]
        assert not list(violations(body["example"], body["schema"], told["components"])), name
        assert body["example"]["event"] == name
        assert "X-Service-Signature" in [one["name"] for one in item["post"]["parameters"]]


@pytest.mark.parametrize("name", sorted(EVENT_DATA_TYPES))
def test_a_real_event_fits_the_schema_of_its_webhook(told: dict[str, Any], name: str) -> None:
    sent = json.loads((ROOT / "docs" / "events" / f"{name}.json").read_bytes())
    body = told["webhooks"][name]["post"]["requestBody"]["content"]["application/json"]
    assert not list(violations(sent, body["schema"], told["components"]))


def test_every_part_of_a_path_is_described(told: dict[str, Any]) -> None:
    for path, _, operation in operations(told):
        described = {one["name"]: one for one in parameters(told, operation) if one["in"] == "path"}
        assert described.keys() == set(re.findall(r"{(\w+)}", path)), path
        assert all(one["required"] and one["description"] for one in described.values()), path
        if described:
            assert "404" in operation["responses"], path


def test_every_operation_that_a_repeat_would_spoil_takes_an_idempotency_key(
    told: dict[str, Any],
) -> None:
    for path, method, operation in operations(told):
        names = [one["name"] for one in parameters(told, operation)]
        is_conditional = method in {"put", "patch"} and "If-Match" in names
        takes_key = method in {"post", "delete"} or is_conditional
        assert ("Idempotency-Key" in names) == takes_key, f"{method} {path}"


@pytest.mark.slow
def test_every_body_has_a_schema_and_an_example_that_fits_it(told: dict[str, Any]) -> None:
    for place, content in media(told):
        examples = [one["value"] for one in content.get("examples", {}).values()]
        for example in examples or [content["example"]]:
            wrong = list(violations(example, content["schema"], told["components"]))
            assert not wrong, f"{place}: {wrong}; give the field Meta(examples=[…])"


def test_every_parameter_has_an_example_that_fits_it(told: dict[str, Any]) -> None:
    for path, method, operation in operations(told):
        for one in parameters(told, operation):
            wrong = list(violations(one["example"], one["schema"], told["components"]))
            assert not wrong, f"{method} {path} {one['name']}: {wrong}"


def test_a_body_brings_the_refusals_of_bodies(told: dict[str, Any]) -> None:
    for path, method, operation in operations(told):
        if "requestBody" in operation:
            found = operation["responses"].keys()
            assert {"400", "413", "415", "422"} <= found, f"{method} {path}"


def test_every_code_of_a_handler_is_told(told: dict[str, Any]) -> None:
    for route in build_litestar().routes:
        for method, (handler, _) in getattr(route, "route_handler_map", {}).items():
            item = told["paths"].get(route.path_format, {})
            for kind in handler.opt.get("problems", ()) if method.lower() in item else ():
                answer = follow(told, item[method.lower()]["responses"][str(kind.status)])
                problem = answer["content"]["application/problem+json"]
                assert problem["schema"] == {"$ref": "#/components/schemas/Problem"}
                assert kind.code in answer["x-problem-codes"]
                assert problem["examples"][kind.code]["value"]["title"] == kind.title


def test_problem_codes_are_unique() -> None:
    codes: dict[str, str] = {}
    for kind in list_problems():
        if kind.__module__.startswith("pannier."):
            name = f"{kind.__module__}.{kind.__qualname__}"
            assert codes.setdefault(kind.code, name) == name, kind.code
            assert re.fullmatch(r"[a-z][a-z0-9_]*", kind.code), kind.code
            assert kind.title.endswith("."), kind.title
            assert kind.__doc__, kind.code


def test_the_session_cookie_is_named_as_it_is() -> None:
    assert SCHEMES["operatorSession"].spec["name"] == auth.SESSION_COOKIE


# Small interfaces, to see one thing each.


class Crate(msgspec.Struct):
    """A crate, which may hold crates."""

    id: Annotated[str, Meta(examples=["crate_7QeJm5tZr9K2VhXo"])]
    uuid: UUID
    public_id: str
    packed_at: datetime
    seen: list[datetime]
    weight: Annotated[int, Meta(ge=5, le=9)]
    label: Annotated[str, Meta(min_length=20, max_length=30)]
    revoked_at: datetime | None
    within: "list[Crate]"
    lid: "Crate | None" = None


class CrateIn(msgspec.Struct):
    """A new crate."""

    label: str
    remark: str | None = None
    colour: Annotated[str | None, Meta(examples=["red"])] = None


class Mark(msgspec.Struct):
    """What is written on a crate."""

    example: ClassVar = {"text": "Fragile", "size": 3}
    text: str
    size: int = 1


class CrateFilters(PageIn, frozen=True, kw_only=True):
    """How crates are listed."""

    colour: Annotated[list[Literal["red", "blue"]] | None, Meta(description="The colours.")] = None
    packed_after: datetime | None = None
    sealed: bool | None = None


class CrateFull(Conflict):
    """Nothing more fits in."""

    code = "crate_full"
    title = "The crate is full."
    example: ClassVar = {"free": 0}


@get("/crates")
async def list_crates(filters: CrateFilters) -> Response[list[Crate]]:
    """List crates. Empty ones come last."""
    raise NotImplementedError(filters)


@post("/crates", problems=[CrateFull])
async def create_crate(data: CrateIn) -> Crate:
    """Make a crate."""
    raise NotImplementedError(data)


@post("/marks")
async def mark_crate(data: Mark) -> Mark:
    """Write on a crate."""
    raise NotImplementedError(data)


@delete("/crates/{crate_id:str}", status_code=204)
async def burn_crate(crate_id: str) -> None:
    """Burn a crate."""
    raise NotImplementedError(crate_id)


@post(
    "/crates/{crate_id:str}/photo",
    opt={
        "request_bodies": {"image/png": {"type": "string", "format": "binary"}},
        "responses": {201: {"image/png": {"type": "string", "format": "binary"}}, 202: {}},
    },
)
async def photograph_crate(crate_id: str) -> Response[bytes]:
    """Photograph a crate."""
    raise NotImplementedError(crate_id)


def small(*handlers: Any, security: Any = ({},)) -> dict[str, Any]:
    router = Router("/v1", route_handlers=list(handlers), tags=["Crates"], security=list(security))
    return of(Litestar([router], openapi_config=None, logging_config=None))


def test_the_first_sentence_is_the_summary() -> None:
    operation = small(list_crates)["paths"]["/v1/crates"]["get"]
    assert operation["summary"] == "List crates"
    assert operation["description"] == "Empty ones come last."
    assert operation["operationId"] == "crates.list"


def test_a_bare_array_names_its_next_page_in_a_header() -> None:
    answer = small(list_crates)["paths"]["/v1/crates"]["get"]["responses"]["200"]
    assert answer["headers"]["Link"] == {"$ref": "#/components/headers/Link"}
    assert answer["content"]["application/json"]["schema"]["type"] == "array"


def test_filters_become_query_parameters() -> None:
    told = small(list_crates)
    found = {one["name"]: one for one in told["paths"]["/v1/crates"]["get"]["parameters"]}
    assert found["limit"]["schema"] == {
        "type": "integer", "minimum": 1, "maximum": 100, "default": 30,
    }  # fmt: skip
    assert found["colour"]["style"] == "form"
    assert found["colour"]["explode"] is True
    assert found["colour"]["description"] == "The colours."
    assert found["colour"]["schema"]["items"]["enum"] == ["blue", "red"]
    assert found["packed_after"]["schema"] == {"type": "string", "format": "date-time"}
    assert found["sealed"]["schema"] == {"type": "boolean"}
    assert not found["sealed"]["required"]


def test_filters_are_no_components_of_their_own() -> None:
    assert set(small(list_crates)["components"]["schemas"]) == {"Crate", "Problem", "ProblemField"}


def test_an_answer_shows_every_field_and_ends_where_it_repeats_itself() -> None:
    answer = small(list_crates)["paths"]["/v1/crates"]["get"]["responses"]["200"]
    [crate] = answer["content"]["application/json"]["example"]
    assert crate["public_id"] == crate["id"] == "crate_7QeJm5tZr9K2VhXo"
    assert crate["within"] == []
    assert crate["lid"] is None
    assert crate["revoked_at"] is None
    assert crate["weight"] == 5
    assert len(crate["label"]) == 20
    assert datetime.fromisoformat(crate["seen"][0])


def test_a_request_shows_what_is_needed_and_what_has_an_example() -> None:
    body = small(create_crate)["paths"]["/v1/crates"]["post"]["requestBody"]
    assert body["required"]
    assert body["content"]["application/json"]["example"].keys() == {"label", "colour"}


def test_a_struct_may_show_itself_as_a_whole() -> None:
    body = small(mark_crate)["paths"]["/v1/marks"]["post"]["requestBody"]
    assert body["content"]["application/json"]["example"] == {"text": "Fragile", "size": 3}


def test_times_say_that_they_are_times() -> None:
    crate = small(list_crates)["components"]["schemas"]["Crate"]["properties"]
    assert crate["packed_at"]["format"] == "date-time"
    assert crate["seen"]["items"]["format"] == "date-time"
    assert crate["revoked_at"]["anyOf"][0]["format"] == "date-time"


def test_refusals_stand_under_their_status_with_their_codes() -> None:
    told = small(create_crate)
    answer = follow(told, told["paths"]["/v1/crates"]["post"]["responses"]["409"])
    problem = answer["content"]["application/problem+json"]
    codes = ["idempotency_key_reused", "idempotency_in_progress", "crate_full"]
    assert answer["x-problem-codes"] == codes
    assert answer["description"] == f"Conflict: {', '.join(f'`{code}`' for code in codes)}."
    shown = problem["examples"]["crate_full"]["value"]
    assert shown["code"] == "crate_full"
    assert shown["status"] == 409
    assert shown["free"] == 0


def test_waiting_times_are_told_where_one_has_to_wait() -> None:
    told = small(create_crate)
    for status in ("429", "503"):
        answer = follow(told, told["paths"]["/v1/crates"]["post"]["responses"][status])
        assert "Retry-After" in answer["headers"]


def test_a_body_the_handler_reads_itself_is_told_by_its_options() -> None:
    operation = small(photograph_crate)["paths"]["/v1/crates/{crate_id}/photo"]["post"]
    assert operation["requestBody"]["content"].keys() == {"image/png"}
    assert operation["responses"]["201"]["content"].keys() == {"image/png"}
    assert "content" not in operation["responses"]["202"]


def test_an_identifier_is_shown_as_the_answers_show_it() -> None:
    told = small(list_crates, burn_crate)
    parameter, key, match = told["paths"]["/v1/crates/{crate_id}"]["delete"]["parameters"]
    assert match == {"$ref": "#/components/parameters/IfMatch"}
    assert key == {"$ref": "#/components/parameters/IdempotencyKey"}
    assert parameter["description"] == "UUID or public id."
    assert parameter["example"] == "crate_7QeJm5tZr9K2VhXo"
    assert told["paths"]["/v1/crates/{crate_id}"]["delete"]["responses"]["204"].keys() == {
        "description",
        "headers",
    }


def test_an_operator_may_come_by_session_with_a_csrf_token() -> None:
    told = small(create_crate, list_crates, security=[{"operator": []}])
    change, reading = told["paths"]["/v1/crates"]["post"], told["paths"]["/v1/crates"]["get"]
    assert change["security"] == reading["security"] == [{"operator": []}, {"operatorSession": []}]
    assert "X-CSRF-Token" in [one["name"] for one in parameters(told, change)]
    assert "X-CSRF-Token" not in [one["name"] for one in parameters(told, reading)]


def test_what_needs_no_credential_says_so() -> None:
    operation = small(list_crates)["paths"]["/v1/crates"]["get"]
    assert operation["security"] == []
    assert "401" not in operation["responses"]


def test_a_handler_at_two_paths_has_two_ids() -> None:
    async def weigh() -> Crate:
        """Weigh a crate."""
        raise NotImplementedError

    told = small(get("/weight")(weigh), get("/old/weight")(weigh))
    names = {operation["operationId"] for _, _, operation in operations(told)}
    assert names == {"weight.get", "old.getWeight"}


@pytest.mark.parametrize(
    ("method", "path", "operation_id"),
    [
        ("GET", "/v1/orders", "orders.list"),
        ("POST", "/v1/orders", "orders.create"),
        ("GET", "/v1/orders/{order_id}", "orders.get"),
        ("PATCH", "/v1/orders/{order_id}", "orders.update"),
        ("DELETE", "/v1/orders/{order_id}", "orders.delete"),
        ("POST", "/v1/orders/{order_id}/capture-signature", "orders.captureSignature"),
        (
            "POST",
            "/v1/orders/{order_id}/capture-signature/{subject_id}",
            "orders.captureSignatureForSubject",
        ),
        ("POST", "/v1/orders/{order_id}/charges", "orders.createCharge"),
        ("GET", "/v1/orders/{order_id}/proofs", "orders.listProofs"),
        ("GET", "/v1/orders/{order_id}/proof-sheet.pdf", "orders.downloadProofSheetPdf"),
        ("POST", "/v1/drivers/login-with-sms", "drivers.loginWithSms"),
        ("GET", "/int/v1/transactions/export", "internal.transactions.export"),
        ("DELETE", "/int/v1/operators/{operator_id}/tokens", "internal.operators.deleteTokens"),
        ("POST", "/storefront/v1/customers/orders/{order_id}/cancel",
         "storefront.customers.cancelOrder"),
        ("GET", "/v1/cash/hand-ins", "cash.handIns.list"),
        ("GET", "/int/v1/fleet-module/device-events", "fleetModule.deviceEvents.list"),
        ("GET", "/v1/entities/{entity_id}", "entities.get"),
        ("POST", "/v1/entities/{entity_id}/statuses", "entities.createStatus"),
    ],
)  # fmt: skip
def test_an_id_is_derived_from_method_and_path(method: str, path: str, operation_id: str) -> None:
    is_list = path.rpartition("/")[2] in {"orders", "proofs", "hand-ins", "device-events"}
    assert make_operation_id(method, path, is_list=is_list) == operation_id


def test_every_written_id_is_in_use(told: dict[str, Any]) -> None:
    names = {operation["operationId"] for _, _, operation in operations(told)}
    written = {*WRITTEN_NAMES.values(), *LINK_NAMES.values()}
    unused = {each for each in written if not any(name.endswith(each) for name in names)}
    assert not unused


class Lid(msgspec.Struct):
    """A lid."""

    colour: str = "red"
    size: int | None = None


class LidIn(msgspec.Struct):
    """A new lid. Null clears its label."""

    label: Annotated[str, Meta(examples=["Top"])] | msgspec.UnsetType | None = msgspec.UNSET
    colour: Annotated[str, Meta(description="Its colour.")] = "red"
    size: int | None = None
    within: (
        Annotated[str | dict[str, Any], Meta(extra_json_schema=document_as(str, Crate))] | None
    ) = None
    meta: dict[str, Any] = msgspec.field(default_factory=dict)


@post("/lids")
async def make_lid(data: LidIn) -> Lid:
    """Make a lid."""
    raise NotImplementedError(data)


def test_a_request_offers_no_default_and_null_only_where_it_clears() -> None:
    sent = small(make_lid)["components"]["schemas"]["LidIn"]
    assert "required" not in sent
    fields = sent["properties"]
    assert fields["label"]["anyOf"][1] == {"type": "null"}
    assert fields["size"] == {"type": "integer"}
    assert fields["colour"] == {
        "type": "string", "description": 'Its colour. Defaults to `"red"`.',
    }  # fmt: skip


def test_an_answer_has_all_its_fields() -> None:
    answered = small(make_lid)["components"]["schemas"]["Lid"]
    assert answered["required"] == ["colour", "size"]
    assert answered["properties"]["size"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def test_a_field_of_several_forms_names_them_and_a_map_says_that_it_is_open() -> None:
    fields = small(make_lid)["components"]["schemas"]["LidIn"]["properties"]
    crate = {"$ref": "#/components/schemas/Crate"}
    assert fields["within"]["anyOf"] == [{"type": "string"}, crate]
    assert fields["meta"] == {"$ref": "#/components/schemas/JsonObject"}


def test_places_points_and_customers_are_components_and_no_default_is_null(
    told: dict[str, Any],
) -> None:
    schemas = told["components"]["schemas"]
    order = schemas["OrderIn"]["properties"]
    for name, component in (
        ("pickup", "PlaceIn"), ("dropoff", "GeoJsonPoint"), ("customer", "OrderCustomerIn"),
        ("facilitator", "RecordObject"),
    ):  # fmt: skip
        references = [option.get("$ref") for option in order[name]["anyOf"]]
        assert f"#/components/schemas/{component}" in references, name
    for node in walk(schemas):
        assert node.get("default", ...) is not None
        if node.get("type") == "object" and "properties" not in node:
            assert "additionalProperties" in node


def test_two_schemas_of_one_name_are_refused() -> None:
    other = msgspec.defstruct("Crate", [("id", str)], module="elsewhere")

    async def other_crate() -> Crate:
        """Read the other crate."""
        raise NotImplementedError

    other_crate.__annotations__["return"] = other
    with pytest.raises(SchemaNameClashError, match="Crate"):
        small(list_crates, get("/other")(other_crate))
