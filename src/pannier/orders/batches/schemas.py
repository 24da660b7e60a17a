"""JSON of batches of orders."""

from typing import Annotated, ClassVar, Final, Self

import msgspec
from msgspec import Meta

from pannier.errors import Problem
from pannier.orders.schemas import OrderIn, OrderOut

MAX_ORDERS: Final = 500
MAX_KEY_LENGTH: Final = 255
REPEATED: Final = 200
CREATED: Final = 201

ItemKey = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=MAX_KEY_LENGTH,
        description="Identifies the order for 30 days, in all batches. Defaults to `internal_id`.",
        examples=["WEB-1041"],
    ),
]


class BatchOrderIn(OrderIn, kw_only=True):
    """A new order of a batch: the same fields as a single order, and its key."""

    accepts: ClassVar = OrderIn.accepts
    example: ClassVar = {"idempotency_key": "WEB-1041", **OrderIn.example}
    idempotency_key: ItemKey | None = None


class OrderBatchIn(msgspec.Struct, kw_only=True):
    """Orders to create. Each needs an `idempotency_key` or an `internal_id`."""

    orders: Annotated[list[BatchOrderIn], Meta(min_length=1, max_length=MAX_ORDERS)]


class RawBatch(msgspec.Struct, kw_only=True):
    """A batch whose orders are parsed one by one, so that one bad order does not refuse all."""

    orders: Annotated[list[msgspec.Raw], Meta(min_length=1, max_length=MAX_ORDERS)]


class BatchFieldError(msgspec.Struct):
    """An invalid field of an order in a batch."""

    path: Annotated[str, Meta(examples=["payload.entities[0].weight"])]
    message: str


class BatchProblem(msgspec.Struct):
    """Why an order of a batch was refused."""

    type: Annotated[str, Meta(examples=["/docs/errors#validation_failed"])]
    title: str
    status: Annotated[int, Meta(examples=[422])]
    detail: str
    code: Annotated[str, Meta(examples=["validation_failed"])]
    fields: list[BatchFieldError]

    @classmethod
    def from_problem(cls, problem: Problem) -> Self:
        return cls(
            type=f"/docs/errors#{problem.code}",
            title=problem.title,
            status=problem.status,
            detail=problem.detail,
            code=problem.code,
            fields=[BatchFieldError(field.path, field.message) for field in problem.fields],
        )


class BatchResult(msgspec.Struct, kw_only=True):
    """What became of an order of a batch: an order, or a problem."""

    index: Annotated[int, Meta(description="Its position in the batch, from 0.", examples=[0])]
    key: Annotated[str | None, Meta(description="Its key.", examples=["WEB-1041"])]
    status: Annotated[
        int,
        Meta(
            description="201: created; 200: an earlier request created it; otherwise the status "
            "of the problem. After 429 or 503, send the order again.",
            examples=[201],
        ),
    ]
    order: OrderOut | None = None
    problem: BatchProblem | None = None


class OrderBatchOut(msgspec.Struct, kw_only=True):
    """The results of a batch, in the order of the request, and how many there are of each."""

    created: Annotated[int, Meta(examples=[1])]
    repeated: Annotated[
        int, Meta(description="Orders that an earlier request had created.", examples=[0])
    ]
    refused: Annotated[int, Meta(examples=[0])]
    results: list[BatchResult]

    @classmethod
    def from_results(cls, results: list[BatchResult]) -> Self:
        statuses = [result.status for result in results]
        created, repeated = statuses.count(CREATED), statuses.count(REPEATED)
        return cls(
            created=created,
            repeated=repeated,
            refused=len(results) - created - repeated,
            results=results,
        )
