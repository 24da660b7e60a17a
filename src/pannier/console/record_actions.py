"""Run an action of a record's page, and show the page again if the API refuses it."""

import re
from collections.abc import Mapping
from typing import Any, Final, Protocol
from zoneinfo import ZoneInfo

import msgspec
from litestar import Response

from pannier.console import amounts, confirmation, lookup, responses, session
from pannier.console.actions import Action
from pannier.console.api_client import ApiClient
from pannier.console.forms import FormErrors
from pannier.errors import Problem

_PATH_PARAMETER: Final = re.compile(r"{(\w+)}")


class RecordPages(Protocol):
    """The pages of a resource, as far as actions need them."""

    name: str
    record_path: str
    shown_once: str

    def record_url(self, identifier: str) -> str: ...

    async def render_record(
        self,
        client: ApiClient,
        record: Any,  # noqa: ANN401 - JSON
        **data: Any,  # noqa: ANN401 - template variables
    ) -> Response[bytes]: ...


async def run_action(
    records: RecordPages, client: ApiClient, identifier: str, action: Action, zone: ZoneInfo
) -> Response[bytes]:
    """Run an action on a record, and return to its page."""
    exchange, form_data = client.exchange, session.read_form(client.exchange)
    if action.question and action.form is None:
        confirmation.require_confirmation(exchange, action.question, action.label)
    # The form names other records of the path, such as a transaction of an order.
    path_params = {name: form_data.get(name, "") for name in _PATH_PARAMETER.findall(action.path)}
    path_params[records.name] = identifier
    try:
        body = action.body
        if action.form is not None:
            body = await _make_body(client, action, form_data, path_params, zone)
        if action.record_field:
            body = {**(body or {}), action.record_field: identifier}
        version = form_data.get("version") if action.checks_version else None
        before = None
        if action.make_undo is not None:
            before = await client.get(records.record_path, **{records.name: identifier})
        result = await client.send(
            action.method,
            action.path,
            body,
            version=version,
            **{name: path_params[name] for name in _PATH_PARAMETER.findall(action.path)},
        )
    except Problem as problem:
        return await _render_again(records, client, identifier, action, problem)
    if action.result_variable:
        record = await client.get(records.record_path, **{records.name: identifier})
        return await records.render_record(client, record, **{action.result_variable: result})
    if records.shown_once and isinstance(result, Mapping) and result.get(records.shown_once):
        record = await client.get(records.record_path, **{records.name: identifier})
        return await records.render_record(client, record, secret=result[records.shown_once])
    undo = None if action.make_undo is None else action.make_undo(before, result)
    url = records.record_url(identifier) if action.make_url is None else action.make_url(result)
    return responses.redirect_with_flash(exchange, url, message=action.message, undo=undo)


async def _make_body(
    client: ApiClient,
    action: Action,
    form_data: session.FormData,
    path_params: Mapping[str, str],
    zone: ZoneInfo,
) -> dict[str, Any]:
    """Build the request body from the form. Amounts are converted to minor units."""
    assert action.form is not None  # noqa: S101 - the caller has checked it
    fields = [field for field in action.form.fields if field.name not in path_params]
    form = msgspec.structs.replace(action.form, fields=fields)
    resolved_data = await lookup.resolve_form(client, form.fields, form_data)
    if action.load_currency is not None:
        currency = await action.load_currency(client, path_params)
        resolved_data = amounts.to_minor_amounts(resolved_data, form.fields, currency)
    return form.make_body(resolved_data, zone)


async def _render_again(
    records: RecordPages, client: ApiClient, identifier: str, action: Action, problem: Problem
) -> Response[bytes]:
    """Render the record with the action's form open, or raise a problem beyond the form."""
    if action.form is None or problem.status not in {400, 404, 409, 422}:
        raise problem
    form_data = session.read_form(client.exchange)
    await client.undo(problem)
    record = await client.get(records.record_path, **{records.name: identifier})
    if not action.is_offered(client, record):
        raise problem
    return await records.render_record(
        client, record, status=problem.status, opened=action.name,
        filled=action.form.refill(form_data),
        refusal=FormErrors.from_problem(problem, action.form),
    )  # fmt: skip
