"""Confirmation of actions that cannot be undone.

Pages with script ask in a dialog and send `sure` with the form. Without it, the server responds
with a page that asks and then sends the same form again.
"""

from typing import Final, NamedTuple

from pannier.console import session
from pannier.web.exchange import Exchange

CONFIRMED_FIELD: Final = "sure"
# The URL of the page to return to.
BACK_FIELD: Final = "back"


class Question(NamedTuple):
    """The question, and the label of the button that confirms it."""

    sentence: str
    label: str


class ConfirmationRequiredError(Exception):
    """The operator must confirm the form first."""

    def __init__(self, question: str, label: str) -> None:
        super().__init__(question)
        self.question, self.label = question, label


def require_confirmation(exchange: Exchange, question: str, label: str) -> None:
    """Raise unless the operator confirmed the form. The console then asks the question."""
    if session.read_form(exchange).get(CONFIRMED_FIELD) != "yes":
        raise ConfirmationRequiredError(question, label)
