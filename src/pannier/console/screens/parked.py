"""Failed jobs: background jobs that failed repeatedly, to retry or discard."""

from typing import Final

from pannier.console.actions import Action
from pannier.console.columns import Column
from pannier.console.confirmation import Question
from pannier.console.records import Records

PARKED: Final = Records(
    "/int/v1/parked",
    noun="failed job",
    name="parked_id",
    columns=(
        Column("Job", "step", "link"),
        Column("Subject", "subject", "id"),
        Column("Error", "error"),
        Column("Attempts", "attempts", "number", wide=True),
        Column("Next retry", "retry_at", "ago"),
        Column("Failed", "created_at", "time", wide=True),
    ),
    facts=(
        Column("Job", "step"),
        "subject",
        "attempts",
        Column("Next retry", "retry_at", "ago"),
        "created_at",
    ),
    actions=(
        Action(
            "retry", "Retry now", "POST", "/int/v1/parked/{parked_id}/retry", "rotate-cw",
            "Job queued for retry.",
        ),
    ),
    title_path="step",
    delete_question=Question("Discard this job? It will not be retried.", "Discard"),
    empty="No failed jobs. Background jobs that keep failing appear here.",
    record_template="parked/work.html",
)  # fmt: skip
handlers: Final = PARKED.make_handlers()
