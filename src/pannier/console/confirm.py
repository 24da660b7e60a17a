"""Ask before something that cannot be undone.

Pages with script ask in a dialog and send `sure` with the form. Without it the server answers with
a page that asks, and sends the same form again.
"""

from typing import Final, NamedTuple

from pannier.console import door
from pannier.web.exchange import Exchange

SURE: Final = "sure"
# Where a form leads back to that was sent from the page that asks.
BACK: Final = "back"


class Question(NamedTuple):
    """What is asked, and the label of the button that confirms it."""

    sentence: str
    label: str


class ConfirmFirstError(Exception):
    """The operator has to confirm what a form does before it is done."""

    def __init__(self, sentence: str, label: str) -> None:
        super().__init__(sentence)
        self.sentence, self.label = sentence, label


def require(exchange: Exchange, sentence: str, label: str) -> None:
    """Go on if the form was confirmed; otherwise ask, with a button of this label."""
    if door.sent(exchange).get(SURE) != "yes":
        raise ConfirmFirstError(sentence, label)
