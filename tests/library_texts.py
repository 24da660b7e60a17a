"""Texts that no answer may show a caller: those of Python, its libraries and the database."""

import re
from typing import Any, Final

import httpx

PROBLEM: Final = "application/problem+json"
LIBRARY_TEXTS: Final = re.compile(
    r"""
    Expected\ `|,\ got\ `|Object\ (missing|contains)|Invalid\ enum\ value|-\ at\ `?\$  # msgspec
    |RFC3339\ encoded|JSON\ is\ malformed|Input\ data\ was\ truncated|matching\ regex
    |\\[ZAdswb](?![a-z])|\(\?[:=!<]|\[\^?[a-z]-[z]|\[0-9\]|(?<!\w)\.\*       # regular expressions
    |`(int|str|float|bool|bytes|dict|list|tuple|array|NoneType|datetime|decimal)\b  # types
    |\bNoneType\b|\bUNSET\b|\bNone\b|<class\ '|object\ has\ no\ attribute|\ codec\ can't
    |could\ not\ convert|invalid\ literal|not\ JSON\ serializable|Traceback|isoformat\ string
    |month\ must\ be\ in|unexpected\ keyword|positional\ argument|list\ index\ out|\b\w+Error\b
    |\basyncpg\b|\bmsgspec\b|\blitestar\b|\bpydantic\b|invalid\ input\ for\ query
    |violates\ |duplicate\ key|constraint\ "|relation\ "|column\ "|syntax\ error\ at
    """,
    re.VERBOSE,
)


def find_library_text(text: str) -> str | None:
    """Return the first part of a text that only a programmer of Pannier would write or read."""
    found = LIBRARY_TEXTS.search(text)
    return found[0] if found else None


def list_texts(problem: dict[str, Any]) -> list[str]:
    """List the sentences of a problem, without what repeats the caller's own words."""
    fields = problem.get("fields") or []
    rejected = problem.get("rejected") or []
    return [
        problem["title"],
        *([] if fields else [problem["detail"]]),
        *(field["message"] for field in fields),
        *(item["reason"] for item in rejected if isinstance(item, dict) and "reason" in item),
    ]


def check_answer(answer: httpx.Response) -> None:
    """Refuse an answer that shows a caller what a library said."""
    if answer.status_code < httpx.codes.BAD_REQUEST:
        return
    if answer.headers.get("content-type") != PROBLEM or not answer.content:
        return
    for text in list_texts(answer.json()):
        found = find_library_text(text)
        assert found is None, f"A problem says {found!r}: {text}"
