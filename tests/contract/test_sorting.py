"""Every list accepts the fields that its `sort` parameter documents, and no other."""

import re
from typing import Any

from stage import Firm, House


def read_documented(document: dict[str, Any]) -> dict[str, set[str]]:
    """Return the documented fields of each list whose path has no parameter."""
    return {
        path: set(re.findall(r"`(\w+)`", parameter["description"]))
        for path, methods in document["paths"].items()
        for parameter in methods.get("get", {}).get("parameters", [])
        if parameter.get("name") == "sort" and "{" not in path
    }


async def read_accepted(firm: Firm, path: str) -> set[str] | None:
    """Return the fields that a list says it can be sorted by."""
    client = firm.admin if path.startswith("/int/") else firm.api
    answer = await client.get(path, params={"sort": "nonsense"})
    if answer.status_code in {401, 403}:
        return None
    assert answer.status_code == 422, (path, answer.text)
    [field] = answer.json()["fields"]
    return set(
        re.findall(r"[a-z]+_[a-z_]+|name|status|key|email|size|priority|since", field["message"])
    )


async def test_sort_documents_the_fields_that_a_list_accepts(house: House, acme: Firm) -> None:
    documented = read_documented((await house.client().get("/openapi.json")).json())
    accepted = {path: await read_accepted(acme, path) for path in documented}
    asked = {path: fields for path, fields in accepted.items() if fields is not None}
    assert len(asked) > 30
    assert asked == {path: documented[path] for path in asked}
