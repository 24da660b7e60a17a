"""Decisions §1, OpenAPI: 3.1 at `/openapi.json`, a readable page at `/docs`, complete."""

from pathlib import Path

from stage import Firm, House

OPERATION_IDS = Path(__file__).resolve().parents[2] / "docs" / "operation-ids.txt"


async def test_openapi_3_1_is_at_openapi_json(house: House) -> None:
    answer = await house.client().get("/openapi.json")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("application/json")
    assert answer.json()["openapi"].startswith("3.1")


async def test_the_document_names_this_installation(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    assert told["servers"][0]["url"] == house.settings.base_url


async def test_a_readable_page_is_at_docs_and_needs_no_internet(house: House) -> None:
    answer = await house.client().get("/docs")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("text/html")
    assert "src=" not in answer.text
    assert 'href="http' not in answer.text


async def test_it_is_complete_with_every_path_body_answer_problem_code_and_example(
    house: House,
) -> None:
    told = (await house.client().get("/openapi.json")).json()
    operation = told["paths"]["/int/v1/keys"]["post"]
    assert operation["requestBody"]["content"]["application/json"]["example"]["kind"] == "api"
    assert operation["responses"]["201"]["content"]["application/json"]["example"]["key"]
    named = operation["responses"]["409"]["$ref"].rpartition("/")[2]
    problem = told["components"]["responses"][named]["content"]["application/problem+json"]
    assert "idempotency_key_reused" in problem["examples"]


async def test_an_answer_has_the_fields_that_the_document_shows(acme: Firm, house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    operation = told["paths"]["/v1/organizations/current"]["get"]
    shown = operation["responses"]["200"]["content"]["application/json"]["example"]
    assert shown.keys() == (await acme.api.get("/v1/organizations/current")).json().keys()


async def test_a_problem_has_the_members_that_the_document_shows(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    refused = (await house.client().get("/int/v1/keys")).json()
    assert refused.keys() == told["components"]["schemas"]["Problem"]["properties"].keys()
    answer = told["components"]["responses"]["Unauthenticated"]["content"]
    shown = answer["application/problem+json"]["examples"]["unauthenticated"]["value"]
    assert (shown["status"], shown["code"]) == (refused["status"], refused["code"])


async def test_no_operation_id_is_lost_or_changed(house: House) -> None:
    told = (await house.client().get("/openapi.json")).json()
    lines = {
        f"{operation['operationId']} {method.upper()} {path}"
        for path, item in told["paths"].items()
        for method, operation in item.items()
    }
    known = set(OPERATION_IDS.read_text().splitlines())
    assert not known - lines, "generated clients call these; keep them"
    assert not lines - known, "run `make docs`"
