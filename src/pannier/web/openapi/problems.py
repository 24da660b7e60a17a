"""The problems of each operation, and their responses in the document."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any, Final

import msgspec
from msgspec import Meta

from pannier import errors
from pannier.db.connection_pool import Overloaded
from pannier.db.database import DatabaseUnavailable, OutcomeUnknown
from pannier.db.paging import SearchTooBroad
from pannier.web.idempotency import InProgress, KeyReused, accepts_key
from pannier.web.openapi import headers
from pannier.web.openapi.operations import ApiOperation
from pannier.web.openapi.schemas import PREFIX
from pannier.web.problems import MEDIA_TYPE
from pannier.web.versions import PreconditionFailed

Kinds = Sequence[type[errors.Problem]]

# The extension of OpenAPI that lists the problem codes of a response.
CODES_KEY: Final = "x-problem-codes"
REQUEST_ID: Final = "5f2b9c0e7a41d8e3b6c4f109"
EXAMPLES: Final[Mapping[type[errors.Problem], Sequence[errors.FieldError]]] = {
    errors.Invalid: [errors.FieldError("name", "This field is required.")],
    errors.UnknownField: [errors.FieldError("nmae", "Unknown. Did you mean `name`?")],
    errors.UnknownParameter: [errors.FieldError("limt", "Unknown. Did you mean `limit`?")],
    errors.UnknownValue: [errors.FieldError("status", "must be one of: active, inactive.")],
}


class ProblemFieldOut(msgspec.Struct):
    """An error of one part of a body or query."""

    path: Annotated[str, Meta(description="Path of the field.", examples=["name"])]
    message: Annotated[
        str, Meta(description="What is wrong.", examples=["This field is required."])
    ]


class ProblemOut(msgspec.Struct):
    """A problem (RFC 9457). Some codes have further members; the examples show them."""

    type: Annotated[
        str, Meta(description="Page about the code.", examples=["/docs/errors#not_found"])
    ]
    title: Annotated[
        str,
        Meta(
            description="What is wrong, in a few words.", examples=["The resource was not found."]
        ),
    ]
    status: Annotated[int, Meta(ge=400, le=599, examples=[404])]
    detail: Annotated[
        str,
        Meta(
            description="Where it is wrong, and what to do.",
            examples=["There is no such path. All paths are listed in /openapi.json."],
        ),
    ]
    code: Annotated[str, Meta(description="Stable code for programs.", examples=["not_found"])]
    errors: Annotated[
        list[str],
        Meta(
            description="Sentences for people.",
            examples=[["There is no such path. All paths are listed in /openapi.json."]],
        ),
    ]
    error: Annotated[
        str,
        Meta(
            description="The same as `detail`.",
            examples=["There is no such path. All paths are listed in /openapi.json."],
        ),
    ]
    fields: Annotated[list[ProblemFieldOut], Meta(description="Errors by field.", examples=[[]])]
    request_id: Annotated[
        str, Meta(description="Id of the request in the logs.", examples=[REQUEST_ID])
    ]


def _uses_database(operation: ApiOperation) -> bool:
    return operation.is_secured or operation.can_write or "db" in operation.injected_names


def _searches(operation: ApiOperation) -> bool:
    return (
        operation.is_paged
        and operation.query is not None
        and "query" in operation.query.__struct_fields__
    )


# Problems that operations have in addition to those of their handlers.
GENERAL_PROBLEMS: Final[Sequence[tuple[Callable[[ApiOperation], bool], Kinds]]] = (
    (lambda operation: operation.is_secured, (errors.Unauthenticated, errors.Forbidden)),
    (lambda operation: bool(operation.path_parameters), (errors.NotFound,)),
    (
        lambda operation: bool(operation.bodies),
        (
            errors.BodyUnreadable,
            errors.TooLarge,
            errors.UnsupportedMedia,
            errors.Invalid,
            errors.UnknownField,
        ),
    ),
    (lambda operation: operation.accepts_if_match, (PreconditionFailed,)),
    (lambda operation: operation.is_paged, (errors.CursorInvalid,)),
    (_searches, (SearchTooBroad,)),
    (
        lambda operation: operation.query is not None,
        (errors.Invalid, errors.UnknownParameter, errors.UnknownValue),
    ),
    (
        lambda operation: accepts_key(operation.method, has_condition=operation.accepts_if_match),
        (KeyReused, InProgress, errors.Invalid),
    ),
    (_uses_database, (DatabaseUnavailable, Overloaded)),
    (lambda operation: operation.can_write, (OutcomeUnknown,)),
    (lambda _: True, (errors.TooManyRequests, errors.Internal)),
)
# Problems of authentication in packages above, by code.
AUTH_PROBLEMS: Final[Mapping[str, Callable[[ApiOperation], bool]]] = {
    "csrf_failed": lambda operation: (
        operation.can_write and _accepts_credential(operation, "operatorSession")
    ),
    "customer_token_invalid": lambda operation: _accepts_credential(operation, "customerToken"),
}


def _accepts_credential(operation: ApiOperation, credential: str) -> bool:
    return any(credential in requirement for requirement in operation.security)


def group_by_status(operation: ApiOperation) -> dict[int, Kinds]:
    """Group an operation's problems by status."""
    applicable_kinds = [
        kind for applies, kinds in GENERAL_PROBLEMS if applies(operation) for kind in kinds
    ]
    auth_codes = {code for code, applies in AUTH_PROBLEMS.items() if applies(operation)}
    applicable_kinds += [kind for kind in errors.list_problems() if kind.code in auth_codes]
    kinds = {kind.code: kind for kind in (*applicable_kinds, *operation.problems)}.values()
    statuses = sorted({kind.status for kind in kinds})
    return {status: [kind for kind in kinds if kind.status == status] for status in statuses}


def make_example(kind: type[errors.Problem]) -> dict[str, Any]:
    """Make an example of a problem. A class may declare further members in `example`."""
    problem = kind.__new__(kind)
    fields = EXAMPLES.get(kind, ())
    # A subclass's constructor may need arguments; the base class's constructor is sufficient here.
    errors.Problem.__init__(problem, fields=fields, **getattr(kind, "example", {}))
    return problem.to_body(REQUEST_ID)


def make_response(status: int, kinds: Kinds) -> dict[str, Any]:
    """Make the response object of these problems, which all share one schema.

    A schema for each set of codes would become a class for each in generated clients.
    """
    codes = [kind.code for kind in kinds]
    return {
        "description": f"{HTTPStatus(status).phrase}: {', '.join(f'`{code}`' for code in codes)}.",
        CODES_KEY: codes,
        "headers": headers.refer_to_response_headers(
            ["RequestId", *headers.NAMES_BY_STATUS.get(status, ())]
        ),
        "content": {
            MEDIA_TYPE: {
                "schema": {"$ref": f"{PREFIX}Problem"},
                "examples": {
                    kind.code: {"summary": kind.title, "value": make_example(kind)}
                    for kind in kinds
                },
            }
        },
    }
