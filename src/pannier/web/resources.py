"""A resource, declared once: created, read, listed, changed and deleted alike everywhere.

A declaration names a table and the domain's own verbs; the doors follow from it, with the company's
scope, `ETag` and `If-Match`, what a delete answers, the problems and the documentation. What is
different about a resource stays an ordinary handler beside its declaration.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, Generic, Literal, TypeVar, get_args, get_type_hints
from uuid import UUID

import msgspec
from litestar import Response

from pannier.db import Db, Page, PageIn, Table
from pannier.errors import NotFound, Problem
from pannier.web.deletions import Deleted
from pannier.web.exchange import Exchange
from pannier.web.lists import Listed, enveloped, linked
from pannier.web.routes import change, delete, get, post
from pannier.web.versions import Match, PreconditionFailed

Row = TypeVar("Row", bound=msgspec.Struct)
Out = TypeVar("Out", bound=msgspec.Struct)
Action = Literal["create", "read", "list", "change", "delete"]
Problems = Mapping[Action, Sequence[type[Problem]]]
Door = Callable[[Any], Awaitable[None]]

SAID: Final[Mapping[Action, str]] = {
    "create": "Make {a_noun}.",
    "read": "Read {a_noun}.",
    "list": "List {nouns}. Sorted by {sorts}.",
    "change": "Change {a_noun}. What is left out stays, and null empties a field.",
    "delete": "Delete {a_noun}. What names it goes on naming it.",
}


class Resource(Generic[Row, Out]):
    """What a resource is made of: its table, its verbs, and how its rows are shown.

    Its path is the name of its table, unless another one is given.

    * `create(db, company, data)` answers a new row, `change(db, row, data)` the row as it is now,
      `page(db, company, filters)` a page of rows; their annotations say what `data` and `filters`
      are. One that is not given has no door.
    * Without `read`, who may read is another matter, and stands beside.
    * `show(db, company, rows)` spells rows with what stands beside them; without it, `out.of(row)`
      does, and `out` is named.
    * `take(db, company, identifier)` holds a row before a change or a delete; the table's, without.
    * `remove(db, row)` lets a row go; the table's, without. False: nothing may be deleted.
    * `says` and `problems` are what is special about an action, for the documentation.
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
        take: Callable[[Db, UUID, str], Awaitable[Row]] | None = None,
        remove: Callable[[Db, Row], Awaitable[Any]] | Literal[False] | None = None,
        problems: Problems | None = None,
        says: Mapping[Action, str] | None = None,
    ) -> None:
        self.table, self.path = table, path or table.name.replace("_", "-")
        self.out: Any = out or _shown_as(show)
        self._create, self._change, self._page, self._show = create, change, page, show
        self._read, self._take, self._remove = read, take or table.take, remove
        self._problems, self._says = problems or {}, says or {}
        self._one = f"/{self.path}/{{{table.noun}_id:str}}"

    def handlers(
        self, *, wrapped: bool = False, named: str = "", changing: Door | None = None
    ) -> list[Any]:
        """Make the doors that were declared; the console's lists are `wrapped` in an envelope.

        Where there are others of the same names elsewhere, `named` is how these end. `changing` is
        the door for changes where not everybody who looks may change.
        """
        made = [
            *self._looking(wrapped=wrapped),
            *self._writing({} if changing is None else {"before_request": changing}),
        ]
        for door in made:
            door.fn.__name__ += named
        return made

    def _looking(self, *, wrapped: bool) -> list[Any]:
        doors = [
            self._reading() if self._read else None,
            self._listing(wrapped=wrapped) if self._page else None,
        ]
        return [door for door in doors if door is not None]

    def _writing(self, options: Mapping[str, Any]) -> list[Any]:
        doors = [
            self._creating(options) if self._create else None,
            self._changing(options) if self._change else None,
            None if self._remove is False else self._deleting(options),
        ]
        return [door for door in doors if door is not None]

    async def shown(self, db: Db, row: Row) -> Out:
        """Spell one row."""
        (one,) = await self._spelled(db, row.company, [row])  # type: ignore[attr-defined]  # every row has one
        return one

    async def _spelled(self, db: Db, company: UUID, rows: Sequence[Row]) -> list[Out]:
        if self._show is None:
            return [self.out.of(row) for row in rows]  # it spells a row by itself
        return await self._show(db, company, rows)

    def _creating(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        verb = self._create
        assert verb is not None  # noqa: S101 - the only caller has looked

        async def create(company: UUID, data: Any, db: Db) -> Any:  # noqa: ANN401 - as declared
            return await self.shown(db, await verb(db, company, data))

        self._name(create, "create", {"data": _last_hint(verb), "return": self.out})
        return post(f"/{self.path}", problems=self._refusals("create"), **options)(create)

    def _reading(self) -> Any:  # noqa: ANN401 - Litestar's handler
        async def read(company: UUID, db: Db, **named: str) -> Any:  # noqa: ANN401 - as declared
            return await self.shown(db, await self.table.get(db, company, _only(named)))

        self._name(read, "read", {"return": self.out})
        return get(self._one, problems=self._refusals("read"))(read)

    def _listing(self, *, wrapped: bool) -> Any:  # noqa: ANN401 - Litestar's handler
        find = self._page
        assert find is not None  # noqa: S101 - the only caller has looked

        async def listing(company: UUID, filters: PageIn, exchange: Exchange, db: Db) -> Any:  # noqa: ANN401 - as declared
            found = await find(db, company, filters)
            shown = await self._spelled(db, company, found.rows)
            page = Page(shown, found.limit, found.next_cursor)
            return enveloped(page, _itself) if wrapped else linked(exchange, page, _itself)

        out = Listed[self.out] if wrapped else Response[list[self.out]]  # type: ignore[name-defined]  # known when it runs
        self._name(listing, "list", {"filters": _last_hint(find), "return": out})
        return get(f"/{self.path}", problems=self._refusals("list"))(listing)

    def _changing(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        verb = self._change
        assert verb is not None  # noqa: S101 - the only caller has looked

        async def changing(company: UUID, data: Any, match: Match, db: Db, **named: str) -> Any:  # noqa: ANN401 - as declared
            row = await self._take(db, company, _only(named))
            match(row.version)  # type: ignore[attr-defined]  # every row has one
            return await self.shown(db, await verb(db, row, data))

        self._name(changing, "change", {"data": _last_hint(verb), "return": self.out})
        refusals = self._refusals("change", PreconditionFailed)
        return change(self._one, problems=refusals, **options)(changing)

    def _deleting(self, options: Mapping[str, Any]) -> Any:  # noqa: ANN401 - Litestar's handler
        remove = self._remove or self.table.remove

        async def deleting(company: UUID, match: Match, db: Db, **named: str) -> Deleted:
            row = await self._take(db, company, _only(named))
            match(row.version)  # type: ignore[attr-defined]  # every row has one
            await remove(db, row)
            return Deleted.of(db, self.table.noun, row.public_id)  # type: ignore[attr-defined]  # every row has one

        self._name(deleting, "delete", {})
        refusals = self._refusals("delete", PreconditionFailed)
        return delete(self._one, status_code=200, problems=refusals, **options)(deleting)

    def _refusals(self, action: Action, *usual: type[Problem]) -> list[type[Problem]]:
        return [*self._problems.get(action, ()), *usual]

    def _name(self, function: Any, action: Action, hints: Mapping[str, Any]) -> None:  # noqa: ANN401 - a handler
        """Give a handler the name, the annotations and the sentence it would have by hand."""
        noun, nouns = self.table.noun, self.path.replace("-", "_")
        verb = {"read": "get", "change": "update"}.get(action, action)
        function.__name__ = f"{verb}_{nouns if action == 'list' else noun}"
        function.__annotations__ = {**function.__annotations__, **hints}
        sorts = " or ".join(f"`{column}`" for column in self.table.sort.columns)
        said = self._says.get(action) or SAID[action]
        article = "an" if noun[0] in "aeiou" else "a"
        function.__doc__ = said.format(
            a_noun=f"{article} {noun.replace('_', ' ')}",
            nouns=self.path.replace("-", " "),
            sorts=sorts,
        )


def read_only(
    table: Table[Row],
    page: Callable[[Db, UUID, Any], Awaitable[Page[Row]]],
    show: Callable[[Db, UUID, Sequence[Row]], Awaitable[list[Out]]],
) -> Resource[Row, Out]:
    """Declare what is read and listed; a filter of the list may name what is not there."""
    return Resource(table, page=page, show=show, remove=False, problems={"list": [NotFound]})


def _shown_as(show: Callable[..., Any] | None) -> Any:  # noqa: ANN401 - a Struct
    """Read what rows are shown as: what a list of them holds."""
    return get_args(get_type_hints(show)["return"])[0]


def _last_hint(verb: Callable[..., Any]) -> Any:  # noqa: ANN401 - an annotation
    """Read what a verb takes last: the body of a request, or the filters of a list."""
    hints = get_type_hints(verb, include_extras=True)
    return [hint for name, hint in hints.items() if name != "return"][-1]


def _only(named: Mapping[str, str]) -> str:
    """Take the one identifier that stands in the path."""
    (identifier,) = named.values()
    return identifier


def _itself(shown: Any) -> Any:  # noqa: ANN401 - whatever is shown
    return shown
