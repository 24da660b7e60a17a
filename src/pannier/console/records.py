"""Declarative pages of a resource: a list, a page for each record, and forms.

A declaration names the API paths, the columns, the facts of a record, and the form. Anything
special about a resource is an ordinary handler in its screen's module.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Literal
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.console import (
    confirmation,
    list_exports,
    lookup,
    record_actions,
    record_names,
    responses,
    session,
)
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient, ListPage
from pannier.console.columns import Column
from pannier.console.confirmation import Question
from pannier.console.formatting import TimeZone, dig, record_name
from pannier.console.forms import Field, Form, FormErrors
from pannier.console.navigation import LABELS
from pannier.console.record_urls import shorten_id
from pannier.errors import Problem
from pannier.web.exchange import Exchange
from pannier.web.routes import get, post
from pannier.web.streams import StreamedResponse

PageKind = Literal["list", "read", "new", "edit", "delete", "act"]
PAGE_KINDS: Final[tuple[PageKind, ...]] = ("list", "read", "new", "edit", "delete", "act")
PAGE_SIZE: Final = 60
# Query parameters of a list besides its filters.
PAGING: Final = ("cursor", "sort")
ListExtras = Callable[[ApiClient, list[Any]], Awaitable[Mapping[str, Any]]]
RelatedData = Callable[[ApiClient, Any], Awaitable[Mapping[str, Any]]]


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
        title_path: str = "name",
        empty: str = "",
        list_template: str = "records/list.html",
        record_template: str = "records/record.html",
        form_template: str = "records/form.html",
        load_related: RelatedData | None = None,
        load_list_extras: ListExtras | None = None,
        load_choices: RelatedData | None = None,
        deletable: bool = True,
        delete_question: Question | None = None,
        live_events: str = "",
        shown_once: str = "",
        is_editable: Callable[[Any, str], bool] | None = None,
        is_exported: bool = True,
    ) -> None:
        # By default, the resource is the last part of the API path, the noun is its singular, and
        # the path parameter is the noun with `_id`.
        self.api, self.resource = api, resource or api.rpartition("/")[2]
        self.noun = noun or self.resource.removesuffix("s").replace("-", " ")
        self.name = name or f"{self.noun.replace(' ', '_')}_id"
        self.record_path = f"{api}/{{{self.name}}}"
        self.columns, self.filters = columns, filters
        # A path selects the list's column with that path.
        columns_by_path = {column.path: column for column in columns}
        self.facts = [
            columns_by_path[fact] if isinstance(fact, str) else fact for fact in facts or columns
        ]
        self.form, self.actions, self.title_path, self.empty = form, actions, title_path, empty
        self.list_template, self.record_template, self.form_template = (
            list_template,
            record_template,
            form_template,
        )
        # These load additional template variables for a record's page and for the list. With
        # `action_fields`, a record's page replaces the fields of an action's form.
        self.load_related, self.load_list_extras = load_related, load_list_extras
        self.deletable, self.live_events = deletable, live_events
        self.delete_question = delete_question or Question(f"Delete this {self.noun}?", "Delete")
        # Loads the options of the form.
        self.load_choices = load_choices
        # The response field with a secret or token, which the console shows only once.
        self.shown_once = shown_once
        # Returns whether a field can be changed now. By default, every field can.
        self.is_editable = is_editable
        # Whether the list can be downloaded. Some lists have an export of their own.
        self.is_exported = is_exported
        self.home = f"/console/{self.resource}"

    @property
    def title(self) -> str:
        """The title of the list, as in the side bar."""
        return LABELS.get(self.resource) or self.resource.replace("-", " ").capitalize()

    def record_name(self, record: Any) -> str:  # noqa: ANN401 - JSON
        """Return a record's name, or its id if it has none."""
        return str(dig(record, self.title_path) or record_name(record))

    def select_form(self, record: Any) -> Form:  # noqa: ANN401 - JSON
        """Return the form of a new record, or the form with the fields that can be changed now."""
        assert self.form is not None  # noqa: S101 - declared with one
        if record is None or self.is_editable is None:
            return self.form
        fields = [field for field in self.form.fields if self.is_editable(record, field.name)]
        return msgspec.structs.replace(self.form, fields=fields)

    def record_url(self, identifier: str) -> str:
        return f"{self.home}/{identifier}"

    def make_handlers(self, *page_kinds: PageKind) -> list[Any]:
        """Make the handlers of all pages, or of the given kinds."""
        has_form = self.form is not None
        exports = [self._make_export_handler] if self.is_exported else []
        makers: Mapping[PageKind, list[Callable[[], Any]]] = {
            "list": [self._make_list_page_handler, *exports],
            "read": [self._make_record_page_handler],
            "new": [self._make_new_page_handler, self._make_create_handler] if has_form else [],
            "edit": [self._make_edit_page_handler, self._make_change_handler] if has_form else [],
            "delete": [self._make_delete_handler] if self.deletable else [],
            "act": [partial(self._make_action_handler, action) for action in self.actions],
        }
        return [make() for page_kind in page_kinds or PAGE_KINDS for make in makers[page_kind]]

    async def list_rows(self, client: ApiClient, query: Mapping[str, str]) -> ListPage:
        """List a page of rows, with the query's filters, sorting and cursor."""
        return await list_rows(client, self.api, self.filters, query)

    def _make_list_page_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}")
        async def show_list(exchange: Exchange) -> Response[bytes]:
            client, query = ApiClient(exchange), read_query(exchange)
            error_text, rows = "", ListPage([], None)
            try:
                query = await lookup.resolve_filters(client, self.filters, query)
                rows = await self.list_rows(client, query)
            except Problem as problem:
                if problem.status not in {400, 404, 422}:
                    raise
                error_text = problem.detail
            return await responses.render_page(
                client, self.list_template, title=self.title, records=self, rows=rows.rows,
                cursor=rows.cursor, filter_values=query, error=error_text,
                names=await record_names.load_column_names(client, self.columns, rows.rows),
                **(await self.load_list_extras(client, rows.rows) if self.load_list_extras else {}),
            )  # fmt: skip

        return name_handler(show_list, f"console_{self.resource}")

    def _make_export_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/export")
        async def export_list(exchange: Exchange) -> StreamedResponse:
            return await list_exports.export_list(
                ApiClient(exchange), self.resource, self.filters, self.list_rows
            )

        return name_handler(export_list, f"console_{self.resource}_export")

    def _make_record_page_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/{{identifier:str}}")
        async def show_record(exchange: Exchange, identifier: str) -> Response[bytes]:
            client = ApiClient(exchange)
            return await self.render_record(
                client, await client.get(self.record_path, **{self.name: identifier})
            )

        return name_handler(show_record, f"console_{self.resource}_one")

    async def render_record(self, client: ApiClient, record: Any, **data: Any) -> Response[bytes]:  # noqa: ANN401 - JSON
        related = await self.load_related(client, record) if self.load_related else {}
        return await responses.render_page(
            client,
            self.record_template,
            title=self.record_name(record),
            records=self,
            record=record,
            url=self.record_url(record["id"]),
            **{
                "secret": "",
                "opened": read_query(client.exchange).get("do", ""),
                "filled": {},
                "refusal": FormErrors(),
                "action_fields": {},
                "names": await record_names.load_column_names(client, self.facts, [record]),
                **related,
                **data,
            },
        )

    def _make_new_page_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/new")
        async def show_new_form(exchange: Exchange) -> Response[bytes]:
            return await self.render_form(ApiClient(exchange), None, read_query(exchange))

        return name_handler(show_new_form, f"console_{self.resource}_new")

    def _make_create_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/new", status_code=200)
        async def create_record(exchange: Exchange) -> Response[bytes]:
            client, form_data = ApiClient(exchange), session.read_form(exchange)
            form = self.select_form(None)
            try:
                resolved_data = await lookup.resolve_form(client, form.fields, form_data)
                body = form.make_body(resolved_data, await load_zone(client), "new")
                record = await client.send("POST", self.api, body)
            except Problem as problem:
                return await self.render_refusal(client, None, form_data, problem)
            if self.shown_once and record.get(self.shown_once):
                return await self.render_record(client, record, secret=record[self.shown_once])
            message = f"{self.noun.capitalize()} saved."
            return responses.redirect_with_flash(
                exchange, self.record_url(record["id"]), message=message
            )

        return name_handler(create_record, f"console_{self.resource}_create")

    def _make_edit_page_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @get(f"/{self.resource}/{{identifier:str}}/edit")
        async def show_edit_form(exchange: Exchange, identifier: str) -> Response[bytes]:
            client = ApiClient(exchange)
            record = await client.get(self.record_path, **{self.name: identifier})
            values = self.select_form(record).fill(record, await load_zone(client))
            return await self.render_form(client, record, values)

        return name_handler(show_edit_form, f"console_{self.resource}_edit")

    def _make_change_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/edit", status_code=200)
        async def change_record(exchange: Exchange, identifier: str) -> Response[bytes]:
            client, form_data = ApiClient(exchange), session.read_form(exchange)
            resolved_data = form_data
            try:
                record = await client.get(self.record_path, **{self.name: identifier})
                form, zone = self.select_form(record), await load_zone(client)
                previous_values = form.fill(record, zone)
                resolved_data = await lookup.resolve_form(
                    client, form.fields, form_data, previous_values
                )
                body = form.make_body(resolved_data, zone, "edit", previous_values)
                await client.send(
                    "PATCH",
                    self.record_path,
                    body,
                    version=form_data.get("version"),
                    **{self.name: identifier},
                )
            except Problem as problem:
                await client.undo(problem)
                record = await client.get(self.record_path, **{self.name: identifier})
                return await self.render_refusal(client, record, form_data, problem, resolved_data)
            return responses.redirect_with_flash(
                exchange, self.record_url(identifier), message="Saved."
            )

        return name_handler(change_record, f"console_{self.resource}_change")

    async def render_form(
        self,
        client: ApiClient,
        record: Any,  # noqa: ANN401 - JSON
        values: Mapping[str, str],
        *,
        form_errors: FormErrors | None = None,
        status: int = 200,
    ) -> Response[bytes]:
        """Render the form for a new record or for a change."""
        # A title is a sentence, which does not fit after "Edit".
        is_named = record is not None and self.title_path != "title"
        name = self.record_name(record) if is_named else self.noun
        title = f"{'New' if record is None else 'Edit'} {name}"
        choices = await self.load_choices(client, record) if self.load_choices else {}
        return await responses.render_page(
            client,
            self.form_template,
            title=title,
            records=self,
            record=record,
            filled=values,
            refusal=form_errors or FormErrors(),
            status=status,
            which="new" if record is None else "edit",
            form=self.select_form(record),
            **choices,
        )

    async def render_refusal(
        self,
        client: ApiClient,
        record: Any,  # noqa: ANN401 - JSON
        form_data: session.FormData,
        problem: Problem,
        resolved_data: session.FormData | None = None,
    ) -> Response[bytes]:
        """Undo the change, and render the form again with the input and the errors.

        `resolved_data` is the input after `lookup.resolve_form`, if that succeeded.
        """
        form = self.select_form(record)
        await client.undo(problem)
        saved_values = {} if record is None else form.fill(record, await load_zone(client))
        names = await record_names.load_labels(client, saved_values.values())
        labels = {name: names.get(text) or shorten_id(text) for name, text in saved_values.items()}
        form_errors = FormErrors.from_change(
            problem,
            form,
            form_data if resolved_data is None else resolved_data,
            saved_values,
            labels,
        )
        input_values = form.refill(form_data)
        return await self.render_form(
            client, record, input_values, form_errors=form_errors, status=problem.status
        )

    def _make_delete_handler(self) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/delete", status_code=200)
        async def delete_record(exchange: Exchange, identifier: str) -> Response[bytes]:
            confirmation.require_confirmation(exchange, *self.delete_question)
            version = session.read_form(exchange).get("version")
            await ApiClient(exchange).send(
                "DELETE", self.record_path, version=version, **{self.name: identifier}
            )
            return responses.redirect_with_flash(
                exchange, self.home, message=f"{self.noun.capitalize()} deleted."
            )

        return name_handler(delete_record, f"console_{self.resource}_delete")

    def _make_action_handler(self, action: Action) -> Any:  # noqa: ANN401 - Litestar's handler
        @post(f"/{self.resource}/{{identifier:str}}/{action.name}", status_code=200)
        async def run_action(exchange: Exchange, identifier: str) -> Response[bytes]:
            client = ApiClient(exchange)
            zone = await load_zone(client)
            return await record_actions.run_action(self, client, identifier, action, zone)

        return name_handler(run_action, f"console_{self.resource}_{action.name}")


async def list_rows(
    client: ApiClient,
    api: str,
    filters: Sequence[Field],
    query: Mapping[str, str],
    fixed_filters: Mapping[str, Any] | None = None,
) -> ListPage:
    """List a page of rows, with the query's filters, sorting and cursor."""
    zone = await load_zone(client)
    filter_values = {
        field.name: field.to_query(query.get(field.name, ""), zone) for field in filters
    }
    paging = {name: query.get(name) for name in PAGING}
    query_values = {**filter_values, **paging, **(fixed_filters or {})}
    return await client.list_rows(api, {"limit": str(PAGE_SIZE), **query_values})


def read_query(exchange: Exchange) -> dict[str, str]:
    """Parse the query of the page's URL. The last of repeated parameters wins."""
    return dict(session.FormData(exchange.query))


def name_handler(handler: Any, name: str) -> Any:  # noqa: ANN401 - Litestar's handler
    """Give a generated handler a unique name."""
    handler.fn.__name__ = name.replace("-", "_")
    return handler


async def load_zone(client: ApiClient) -> ZoneInfo:
    """Load the company's time zone."""
    return TimeZone.from_company({"settings": await client.get("/int/v1/settings")}).info
