"""Pannier on a machine whose clock is wrong: `python shifted.py SECONDS worker …`."""

import sys
from datetime import datetime, timedelta, tzinfo

from pannier.cli import main
from pannier.kit import clock

AHEAD = timedelta(seconds=float(sys.argv.pop(1)))


class WrongTime(datetime):
    """What the machine tells whoever asks it for the time."""

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:  # type: ignore[override]  # no subclass is made
        """Answer the machine's present moment."""
        return datetime.now(tz) + AHEAD


setattr(clock, "datetime", WrongTime)  # noqa: B010 - the machine's clock is no part of the program
main()
