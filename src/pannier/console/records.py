"""Pages of a resource, declared once: a list, a page for each record, and forms.

A declaration names the API paths, the columns, the facts of a record, and the form. Anything
special about a resource is an ordinary handler in its screen's module.
"""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.console import confirm, door, lookup, render
from pannier.console.columns import Column
from pannier.console.confirm import Question
from pannier.console.desk import Desk, Rows
from pannier.console.forms import Field, Form, Refusal
from pannier.console.navigation import LABELS
from pannier.console.words import Zone, called, dig
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post

Part = Literal["list", "read", "new", "edit", "delete", "act"]
PARTS: Final[tuple[Part, ...]] = ("list", "read", "new", "edit", "delete", "act")
PAGE: Final = 60
# Query parameters of a list besides its filters.
PAGING: Final = ("cursor", "sort")
Many = Callable[[Desk, list[Any]], Awaitable[Mapping[str, Any]]]
More = Callable[[Desk, Any], Awaitable[Mapping[str, Any]]]


class Action(NamedTuple):
    """An action on a record: a button that calls the API."""

    name: str
    label: str
    method: str
    door: str
    icon: str
    said: str
    danger: bool = False
    # The question before the action, if it needs one.
    sure: str = ""
    form: Form | None = None
    # The fixed body of the API call.
    body: Mapping[str, Any] | None = None
    # The template variable that gets the API's answer, if the page shows it at once.
    shows: str = ""
    # Whether the button is shown for a record. The API decides in the end.
    when: Callable[[Any], bool] | None = None

    def is_offered(self, desk: Desk, record: Any) -> bool:  # noqa: ANN401 - JSON
        """Return whether the operator can do this to the record now."""
        allowed = desk.may(self.method, self.door)
        return allowed and (self.when is None or bool(self.when(record)))


class Records:
    """The pages of a resource."""

    def __init__(
        self,
        api: str,
        *,
        resource: str = "",
        noun: str = "",
        name: str = "",
        columns: Sequence[Column],
        facts: Sequence[Column | str] = (),
        filters: Sequence[Field] = (),
        form: Form | None = None,
        actions: Sequence[Action] = (),
        titled: str = "name",
        empty: str = "",
        listing: str = "records/list.html",
        reading: str = "records/record.html",
        editing: str = "records/form.html",
        beside: More | None = None,
        among: Many | None = None,
        choices: More | None = None,
        deletes: bool = True,
        deleting: Question | None = None,
        live: str = "",
        once: str = "",
        editable: Callable[[Any, str], bool] | None = None,
    ) -> None:
        # By default, the resource is the last part of the API path, the noun is its singular, and
        # the path parameter is the noun with `_id`.
        self.api, self.resource = api, resource or api.rpartition("/")[2]
        self.noun = noun or self.resource.removesuffix("s").replace("-", " ")
        self.name = name or f"{self.noun.replace(' ', '_')}_id"
        self.one = f"{api}/{{{self.name}}}"
        self.columns, self.filters = columns, filters
        # A path stands for the list's column of that path.
        listed = {column.path: column for column in columns}
        self.facts = [listed[fact] if isinstance(fact, str) else fact for fact in facts or columns]
        self.form, self.actions, self.titled, self.empty = form, actions, titled, empty
        self.listing, self.reading, self.editing = listing, reading, editing
        # These load more template variables for a record's page and for the list.
        self.beside, self.among = beside, among
        self.deletes, self.live = deletes, live
        self.deleting = deleting or Question(f"Delete this {self.noun}?", "Delete")
        # Loads the options of the form.
        self.choices = choices
        # The field of the answer that is shown only once: a secret or a token.
        self.once = once
        # Whether a field can be changed now. Without it, every field can.
        self.editable = editable
        self.home = f"/console/{self.resource}"

    @property
    def title(self) -> str:
        """The title of the list, as in the side bar."""
        return LABELS.get(self.resource) or self.resource.replace("-", " ").capitalize()

    def named(self, record: Any) -> str:  # noqa: ANN401 - JSON
        """Return a record's name, or its id if it has none."""
        return str(dig(record, self.titled) or called(record))

    def form_for(self, record: Any) -> Form:  # noqa: ANN401 - JSON
        """Return the form for a new record, or with the fields that can be changed now."""
        assert self.form is not None  # noqa: S101 - declared with one
        if record is None or self.editable is None:
            return self.form
        fields = [field for field in self.form.fields if self.editable(record, field.name)]
        return msgspec.structs.replace(self.form, fields=fields)

    def address(self, identifier: str) -> str:
        return f"{self.home}/{identifier}"

    def handlers(self, *parts: Part) -> list[Any]:
        """Make the handlers of all pages, or of the given kinds."""
        form = self.form is not None
        made: Mapping[Part, list[Callable[[], Any]]] = {
            "list": [self._list],
            "read": [self._read],
            "new": [self._new, self._create] if form else [],
            "edit": [self._edit, self._change] if form else [],
            "delete": [self._delete] if self.deletes else [],
            "act": [partial(self._act, action) for action in self.actions],
        }
        return [make() for part in parts or PARTS for make in made[part]]

    async def found(self, desk: Desk, given: Mapping[str, str]) -> Rows:
        """List the page of rows that the query asks for."""
        return await found(desk, self.api, self.filters, given)

    def _list(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}")
        async def listed(exchange: Exchange) -> Response[bytes]:
            desk, given = Desk(exchange), asked(exchange)
            refused, rows = "", Rows([], None)
            try:
                given = await lookup.resolve_filters(desk, self.filters, given)
                rows = await self.found(desk, given)
            except Problem as problem:
                if problem.status not in {400, 404, 422}:
                    raise
                refused = problem.detail
            return await render.page(
                desk, self.listing, title=self.title, records=self, rows=rows.rows,
                cursor=rows.cursor, given=given, wrong=refused,
                names=await names(desk, self.columns, rows.rows),
                **(await self.among(desk, rows.rows) if self.among else {}),
            )  # fmt: skip

        return named(listed, f"console_{self.resource}")

    def _read(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/{{identifier:str}}")
        async def shown(exchange: Exchange, identifier: str) -> Response[bytes]:
            desk = Desk(exchange)
            return await self.show(desk, await desk.get(self.one, **{self.name: identifier}))

        return named(shown, f"console_{self.resource}_one")

    async def show(self, desk: Desk, record: Any, **more: Any) -> Response[bytes]:  # noqa: ANN401 - JSON
        beside = await self.beside(desk, record) if self.beside else {}
        return await render.page(
            desk, self.reading, title=self.named(record), records=self, record=record,
            at=self.address(record["id"]),
            **{"secret": "", "opened": asked(desk.exchange).get("do", ""), "filled": {},
               "refusal": Refusal(), "names": await names(desk, self.facts, [record]),
               **beside, **more},
        )  # fmt: skip

    def _new(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/new")
        async def new(exchange: Exchange) -> Response[bytes]:
            return await self.ask(Desk(exchange), None, asked(exchange))

        return named(new, f"console_{self.resource}_new")

    def _create(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/new", status_code=200)
        async def create(exchange: Exchange) -> Response[bytes]:
            desk, sent = Desk(exchange), door.sent(exchange)
            form = self.form_for(None)
            try:
                read = await lookup.resolve(desk, form.fields, sent)
                body = form.body(read, await zone_of(desk), "new")
                made = await desk.act("POST", self.api, body)
            except Problem as problem:
                return await self.refuse(desk, None, sent, problem)
            if self.once and made.get(self.once):
                return await self.show(desk, made, secret=made[self.once])
            said = f"{self.noun.capitalize()} saved."
            return render.led(exchange, self.address(made["id"]), said=said)

        return named(create, f"console_{self.resource}_create")

    def _edit(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/{{identifier:str}}/edit")
        async def edit(exchange: Exchange, identifier: str) -> Response[bytes]:
            desk = Desk(exchange)
            record = await desk.get(self.one, **{self.name: identifier})
            filled = self.form_for(record).filled(record, await zone_of(desk))
            return await self.ask(desk, record, filled)

        return named(edit, f"console_{self.resource}_edit")

    def _change(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/edit", status_code=200)
        async def change(exchange: Exchange, identifier: str) -> Response[bytes]:
            desk, sent = Desk(exchange), door.sent(exchange)
            read = sent
            try:
                record = await desk.get(self.one, **{self.name: identifier})
                form, zone = self.form_for(record), await zone_of(desk)
                before = form.filled(record, zone)
                read = await lookup.resolve(desk, form.fields, sent, before)
                body = form.body(read, zone, "edit", before)
                await desk.act(
                    "PATCH", self.one, body, version=sent.get("version"), **{self.name: identifier}
                )
            except Problem as problem:
                await desk.undo(problem)
                record = await desk.get(self.one, **{self.name: identifier})
                return await self.refuse(desk, record, sent, problem, read)
            return render.led(exchange, self.address(identifier), said="Saved.")

        return named(change, f"console_{self.resource}_change")

    async def ask(
        self,
        desk: Desk,
        record: Any,  # noqa: ANN401 - JSON
        filled: Mapping[str, str],
        *,
        refusal: Refusal | None = None,
        status: int = 200,
    ) -> Response[bytes]:
        """Render the form for a new record or for a change."""
        title = f"New {self.noun}" if record is None else f"Edit {self.named(record)}"
        choices = await self.choices(desk, record) if self.choices else {}
        return await render.page(
            desk, self.editing, title=title, records=self, record=record, filled=filled,
            refusal=refusal or Refusal(), status=status, which="new" if record is None else "edit",
            form=self.form_for(record),
            **choices,
        )  # fmt: skip

    async def refuse(
        self,
        desk: Desk,
        record: Any,  # noqa: ANN401 - JSON
        sent: door.Sent,
        problem: Problem,
        read: door.Sent | None = None,
    ) -> Response[bytes]:
        """Undo the change, and render the form again with the input and the errors.

        `read` is the input with names and numbers resolved, as far as that succeeded.
        """
        form = self.form_for(record)
        await desk.undo(problem)
        saved = {} if record is None else form.filled(record, await zone_of(desk))
        names = await lookup.labels(desk, saved.values())
        told = {name: names.get(text, text) for name, text in saved.items()}
        refusal = Refusal.over(problem, form, sent if read is None else read, saved, told)
        typed = form.typed(sent)
        return await self.ask(desk, record, typed, refusal=refusal, status=problem.status)

    async def _reopen(
        self, desk: Desk, identifier: str, action: Action, sent: door.Sent, problem: Problem
    ) -> Response[bytes]:
        """Render the record with the action's form open, or raise what the form cannot correct."""
        if action.form is None or problem.status not in {400, 404, 409, 422}:
            raise problem
        await desk.undo(problem)
        record = await desk.get(self.one, **{self.name: identifier})
        if not action.is_offered(desk, record):
            raise problem
        return await self.show(
            desk, record, status=problem.status, opened=action.name,
            filled=action.form.typed(sent), refusal=Refusal.of(problem, action.form),
        )  # fmt: skip

    def _delete(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/delete", status_code=200)
        async def delete(exchange: Exchange, identifier: str) -> Response[bytes]:
            confirm.require(exchange, *self.deleting)
            version = door.sent(exchange).get("version")
            await Desk(exchange).act("DELETE", self.one, version=version, **{self.name: identifier})
            return render.led(exchange, self.home, said=f"{self.noun.capitalize()} deleted.")

        return named(delete, f"console_{self.resource}_delete")

    def _act(self, action: Action) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/{action.name}", status_code=200)
        async def act(exchange: Exchange, identifier: str) -> Response[bytes]:
            desk, sent = Desk(exchange), door.sent(exchange)
            if action.sure and action.form is None:
                confirm.require(exchange, action.sure, action.label)
            try:
                body = action.body
                if action.form is not None:
                    read = await lookup.resolve(desk, action.form.fields, sent)
                    body = action.form.body(read, await zone_of(desk))
                done = await desk.act(action.method, action.door, body, **{self.name: identifier})
            except Problem as problem:
                return await self._reopen(desk, identifier, action, sent, problem)
            if action.shows:
                record = await desk.get(self.one, **{self.name: identifier})
                return await self.show(desk, record, **{action.shows: done})
            if self.once and isinstance(done, Mapping) and done.get(self.once):
                record = await desk.get(self.one, **{self.name: identifier})
                return await self.show(desk, record, secret=done[self.once])
            return render.led(exchange, self.address(identifier), said=action.said)

        return named(act, f"console_{self.resource}_{action.name}")


async def found(desk: Desk, api: str, filters: Sequence[Field], given: Mapping[str, str]) -> Rows:
    """List the page of rows that the query asks for."""
    zone = await zone_of(desk)
    wanted = {field.name: field.asked(given.get(field.name, ""), zone) for field in filters}
    paging = {name: given.get(name) for name in PAGING}
    return await desk.rows(api, {"limit": str(PAGE), **wanted, **paging})


async def names(desk: Desk, columns: Sequence[Column], rows: Sequence[Any]) -> dict[str, str]:
    """Load the names of the records that the columns link to, by id."""
    wanted: dict[str, set[str]] = {}
    for column in columns:
        if (
            column.show in {"link", "links"}
            and column.to in lookup.KINDS
            and lookup.KINDS[column.to].by_ids
        ):
            values = [dig(row, column.path) for row in rows]
            wanted.setdefault(column.to, set()).update(_ids(values))
    return {
        identifier: name
        for resource, ids in wanted.items()
        for identifier, name in (await lookup.named_by(desk, resource, ids)).items()
    }


def _ids(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from (one for one in (value if isinstance(value, list) else [value])
                    if isinstance(one, str))  # fmt: skip


def asked(exchange: Exchange) -> dict[str, str]:
    """Return the query of the page's address. The last of repeated parameters counts."""
    return dict(door.Sent(exchange.query))


def named(handler: Any, name: str) -> Any:  # noqa: ANN401 - Litestar's handler
    """Give a generated handler its own name."""
    handler.fn.__name__ = name.replace("-", "_")
    return handler


async def zone_of(desk: Desk) -> ZoneInfo:
    """Load the company's time zone."""
    return Zone.of({"settings": await desk.get("/int/v1/settings")}).info
