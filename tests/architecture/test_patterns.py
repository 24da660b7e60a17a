"""Patterns of what callers send, which end where the text does."""

import re

from architecture.reading import SOURCE
from probe import refused
from stage import Firm, House


def test_no_pattern_lets_another_line_begin() -> None:
    # Python's `$` is also before a line feed at the end; in schemas `\Z` is written `$`.
    loose = re.compile(r'pattern=r?"[^"]*\$"')
    found = [path.name for path in SOURCE.rglob("*.py") if loose.search(path.read_text())]
    assert found == []


async def test_the_document_ends_patterns_as_others_read_them(house: House) -> None:
    document = (await house.client().get("/openapi.json")).text
    assert r"\\Z" not in document
    assert '"pattern":"^[A-Za-z]{3}$"' in document


async def test_a_refusal_says_in_words_what_a_pattern_takes(acme: Firm) -> None:
    sent = {"name": "Cold", "key": "Cold chain", "flow": [{"code": "done", "complete": True}]}
    told = refused(await acme.api.post("/v1/order-configs", json=sent), 422, "validation_failed")
    message = "must have 1 to 60 lower-case letters, digits and hyphens, such as cold-chain."
    assert told["fields"] == [{"path": "key", "message": message}]
