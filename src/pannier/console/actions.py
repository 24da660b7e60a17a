"""Actions on a record: buttons of its page that call the API."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from pannier.console.api_client import ApiClient
from pannier.console.forms import Form
from pannier.console.undo import UndoStep


class Action(NamedTuple):
    """An action on a record: a button that calls the API."""

    name: str
    label: str
    method: str
    path: str
    icon: str
    message: str
    danger: bool = False
    # The question that confirms the action, if it needs a confirmation.
    question: str = ""
    form: Form | None = None
    # The fixed body of the API call.
    body: Mapping[str, Any] | None = None
    # The template variable for the API's response, if the page shows it immediately.
    result_variable: str = ""
    # Whether the page offers the action for a record. The API has the final decision.
    condition: Callable[[Any], bool] | None = None
    # Loads the currency of the form's amounts, by the parameters of the path.
    load_currency: Callable[[ApiClient, Mapping[str, str]], Awaitable[str]] | None = None
    # Whether the API refuses the action if the record was changed after the page was opened.
    checks_version: bool = False
    # Makes the step that undoes the action, from the record before and after it.
    make_undo: Callable[[Any, Any], UndoStep | None] | None = None
    # Whether the page has the form only when it is opened, because others are used more often.
    on_demand: bool = False
    # The field of the body that names the record, if the path does not.
    record_field: str = ""
    # Returns the page to open afterwards, from the API's response. By default, the record's page.
    make_url: Callable[[Any], str] | None = None

    def is_offered(self, client: ApiClient, record: Any) -> bool:  # noqa: ANN401 - JSON
        """Return whether the operator can run this action on the record now."""
        is_allowed = client.is_allowed(self.method, self.path)
        return is_allowed and (self.condition is None or bool(self.condition(record)))
