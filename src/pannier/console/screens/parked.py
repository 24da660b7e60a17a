"""Parked work: what failed in the background, tried again or given up."""

from typing import Final

from pannier.console.columns import Column
from pannier.console.confirm import Question
from pannier.console.records import Action, Records

PARKED: Final = Records(
    "/int/v1/parked",
    noun="piece of work",
    name="parked_id",
    columns=(
        Column("What", "step", "link"),
        Column("About", "subject", "id"),
        Column("How it failed", "error"),
        Column("Tried", "attempts", "number", wide=True),
        Column("Again", "retry_at", "ago"),
        Column("Since", "created_at", "time", wide=True),
    ),
    facts=(
        Column("What", "step"),
        "subject",
        "attempts",
        Column("Tried again", "retry_at", "ago"),
        "created_at",
    ),
    actions=(
        Action(
            "retry", "Try again now", "POST", "/int/v1/parked/{parked_id}/retry", "rotate-cw",
            "It is tried again at once.",
        ),
    ),
    titled="step",
    deleting=Question("Give this up? It is not tried again.", "Give up"),
    empty="Nothing is parked: all background work went well.",
    reading="parked/work.html",
)  # fmt: skip
handlers: Final = PARKED.handlers()
