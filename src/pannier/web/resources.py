"""Resources: uniform handlers to create, read, list, change and delete records.

A declaration names a table and the domain's functions. Its handlers come with the restriction to
the company, `ETag` and `If-Match`, the response to a delete, problems and documentation. Anything
special about a resource is an ordinary handler beside its declaration.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_type_hints
from uuid import UUID

import msgspec
from litestar import Response

from pannier.db import Db, Page, PageIn, Table
from pannier.errors import NotFound, Problem
from pannier.web.deletions import RecordDeleted
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, to_array_response, to_envelope
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import IfMatch, PreconditionFailed

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out", bound=msgspec.Struct)
Action = Literal["create", "read", "list", "change", "delete"]
Problems = Mapping[Action, Sequence[type[Problem]]]
RequestCheck = Callable[[Any], Awaitable[None]]

SUMMARIES: Final[Mapping[Action, str]] = {
    "create": "Create {a_noun}.",
    "read": "Retrieve {a_noun}.",
    "list": "List {nouns}. Sorted by {sorts}.",
    "change": "Update {a_noun}. Omitted fields stay unchanged, and null clears a field.",
    "delete": "Delete {a_noun}. Records that refer to it keep their reference.",
}


class Resource(Generic[Row, Out]):
    """A resource: its table, its functions, and the conversion of its rows.

    The default path is the table's name.

    * `create(db, company, data)` returns a new row, `change(db, row, data)` the changed row, and
      `page(db, company, filters)` a page of rows. Their annotations define the types of `data` and
      `filters`. An action without a function gets no handler.
    * With `read=False`, there is no handler to read one row: it is written by hand.
    * `show(db, company, rows)` converts rows together with related data. Without it, `out` is
      required, and `out.from_row(row)` converts a row.
    * `lock(db, company, identifier)` locks a row before a change or a delete. The default is the
      table's.
    * `remove(db, row)` deletes a row. The default is the table's. With False, there is no delete.
    * `summaries` and `problems` are the special documentation of an action.
    """

    def __init__(
        self,
        table: Table[Row],
        *,
        path: str | None = None,
        out: type[Out] | None = None,
        create: Callable[[Db, UUID, Any], Awaitable[Row]] | None = None,
        change: Callable[[Db, Row, Any], Awaitable[Row]] | None = None,
        page: Callable[[Db, UUID, Any], Awaitable[Page[Row]]] | None = None,
        show: Callable[[Db, UUID, Sequence[Row]], Awaitable[list[Out]]] | None = None,
        read: bool = True,
        lock: Callable[[Db, UUID, str], Awaitable[Row]] | None = None,
        remove: Callable[[Db, Row], Awaitable[Any]] | Literal[False] | None = None,
        problems: Problems | None = None,
        summaries: Mapping[Action, str] | None = None,
    ) -> None:
        self.table, self.path = table, path or table.name.replace("_", "-")
        self.out: Any = out or _find_out_type(show)
        self._create, self._change, self._page, self._show = create, change, page, show
        self._read, self._lock, self._remove = read, lock or table.lock, remove
        self._problems, self._summaries = problems or {}, summaries or {}
        self._item_path = f"/{self.path}/{{{table.noun}_id:str}}"

    def make_handlers(
        self,
        *,
        with_envelope: bool = False,
        write_check: RequestCheck | None = None,
    ) -> list[Any]:
        """Make the declared handlers. Lists for the console have an envelope.

        `write_check` authorizes changes, if they need more permissions than reading.
        """
        return [
            *self._make_read_handlers(with_envelope=with_envelope),
            *self._make_write_handlers(
                {} if write_check is None else {"before_request": write_check}
            ),
        ]

    def _make_read_handlers(self, *, with_envelope: bool) -> list[Any]:
        handlers = [
            self._make_get_handler() if self._read else None,
            self._make_list_handler(with_envelope=with_envelope) if self._page else None,
        ]
        return [handler for handler in handlers if handler is not None]

    def _make_write_handlers(self, options: Mapping[str, Any]) -> list[Any]:
        handlers = [
            self._make_create_handler(options) if self._create else None,
            self._make_change_handler(options) if self._change else None,
            None if self._remove is False else self._make_delete_handler(options),
        ]
        return [handler for handler in handlers if handler is not None]

    async def to_out(self, db: Db, row: Row) -> Out:
        """Convert one row."""
        (out,) = await self._rows_to_out(db, row.company, [row])  # type: ignore[attr-defined]  # every row has one
        return out

    async def _rows_to_out(self, db: Db, company: UUID, rows: Sequence[Row]) -> list[Out]:
        if self._show is None:
            return [self.out.from_row(row) for row in rows]
        return await self._show(db, company, rows)

    def _make_create_handler(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        create_row = self._create
        assert create_row is not None  # noqa: S101 - the only caller has checked

        async def create(company: UUID, data: Any, db: Db) -> Any:  # noqa: ANN401 - as declared
            return await self.to_out(db, await create_row(db, company, data))

        self._describe_handler(
            create, "create", {"data": _find_data_type(create_row), "return": self.out}
        )
        return post(f"/{self.path}", problems=self._list_problems("create"), **options)(create)

    def _make_get_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        async def read(company: UUID, db: Db, **path_params: str) -> Any:  # noqa: ANN401 - as declared
            return await self.to_out(
                db, await self.table.get(db, company, _get_identifier(path_params))
            )

        self._describe_handler(read, "read", {"return": self.out})
        return get(self._item_path, problems=self._list_problems("read"))(read)

    def _make_list_handler(self, *, with_envelope: bool) -> Any:  # noqa: ANN401 - Litestar's handler
        load_page = self._page
        assert load_page is not None  # noqa: S101 - the only caller has checked

        async def list_rows(company: UUID, filters: PageIn, exchange: Exchange, db: Db) -> Any:  # noqa: ANN401 - as declared
            rows_page = await load_page(db, company, filters)
            rows_out = await self._rows_to_out(db, company, rows_page.rows)
            page = Page(rows_out, rows_page.limit, rows_page.next_cursor)
            return (
                to_envelope(page, _identity)
                if with_envelope
                else to_array_response(exchange, page, _identity)
            )

        return_type = Listed[self.out] if with_envelope else Response[list[self.out]]  # type: ignore[name-defined]  # known when it runs
        self._describe_handler(
            list_rows, "list", {"filters": _find_data_type(load_page), "return": return_type}
        )
        return get(f"/{self.path}", problems=self._list_problems("list"))(list_rows)

    def _make_change_handler(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        change_columns = self._change
        assert change_columns is not None  # noqa: S101 - the only caller has checked

        async def change_row(
            company: UUID,
            data: Any,  # noqa: ANN401 - as declared
            match: IfMatch,
            db: Db,
            **path_params: str,
        ) -> Any:  # noqa: ANN401 - as declared
            row = await self._lock(db, company, _get_identifier(path_params))
            match(row.version)  # type: ignore[attr-defined]  # every row has one
            return await self.to_out(db, await change_columns(db, row, data))

        self._describe_handler(
            change_row, "change", {"data": _find_data_type(change_columns), "return": self.out}
        )
        problem_kinds = self._list_problems("change", PreconditionFailed)
        return change(self._item_path, problems=problem_kinds, **options)(change_row)

    def _make_delete_handler(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        remove = self._remove or self.table.remove

        async def delete_row(
            company: UUID, match: IfMatch, db: Db, **path_params: str
        ) -> RecordDeleted:
            row = await self._lock(db, company, _get_identifier(path_params))
            match(row.version)  # type: ignore[attr-defined]  # every row has one
            await remove(db, row)
            return RecordDeleted.from_id(db, self.table.noun, row.public_id)  # type: ignore[attr-defined]  # every row has one

        self._describe_handler(delete_row, "delete", {})
        problem_kinds = self._list_problems("delete", PreconditionFailed)
        return delete(self._item_path, status_code=200, problems=problem_kinds, **options)(
            delete_row
        )

    def _list_problems(
        self, action: Action, *default_problems: type[Problem]
    ) -> list[type[Problem]]:
        return [*self._problems.get(action, ()), *default_problems]

    def _describe_handler(self, function: Any, action: Action, hints: Mapping[str, Any]) -> None:  # noqa: ANN401 - a handler
        """Set the name, annotations and docstring that a handler written by hand would have."""
        noun, nouns = self.table.noun, self.path.replace("-", "_")
        verb = {"read": "get", "change": "update"}.get(action, action)
        function.__name__ = f"{verb}_{nouns if action == 'list' else noun}"
        function.__annotations__ = {**function.__annotations__, **hints}
        sorts = " or ".join(f"`{column}`" for column in self.table.sort.columns)
        summary = self._summaries.get(action) or SUMMARIES[action]
        article = "an" if noun[0] in "aeiou" else "a"
        function.__doc__ = summary.format(
            a_noun=f"{article} {noun.replace('_', ' ')}",
            nouns=self.path.replace("-", " "),
            sorts=sorts,
        )


def make_read_only(
    table: Table[Row],
    page: Callable[[Db, UUID, Any], Awaitable[Page[Row]]],
    show: Callable[[Db, UUID, Sequence[Row]], Awaitable[list[Out]]],
) -> Resource[Row, Out]:
    """Declare a resource that is only read and listed. Unknown ids in filters raise NotFound."""
    return Resource(table, page=page, show=show, remove=False, problems={"list": [NotFound]})


def _find_out_type(show: Callable[..., Any] | None) -> Any:  # noqa: ANN401 - a Struct
    """Return the type of the converted rows, from the annotation of `show`."""
    return get_args(get_type_hints(show)["return"])[0]


def _find_data_type(function: Callable[..., Any]) -> Any:  # noqa: ANN401 - an annotation
    """Return the type of a function's last parameter: the body, or the filters of a list."""
    hints = get_type_hints(function, include_extras=True)
    return [hint for name, hint in hints.items() if name != "return"][-1]


def _get_identifier(path_params: Mapping[str, str]) -> str:
    """Return the only path parameter."""
    (identifier,) = path_params.values()
    return identifier


def _identity(value: Any) -> Any:  # noqa: ANN401 - a converted row
    return value
