"""The actor of a change. It travels with `Db`, so that every row written can record it."""

from typing import Final, Literal

import msgspec

Kind = Literal["operator", "key", "driver", "customer", "device", "worker", "command", "stranger"]


class Actor(msgspec.Struct, frozen=True):
    """The author of a change, as the audit log records it."""

    kind: Kind
    id: str
    name: str
    request_id: str = ""
    address: str = ""


# A background step; a person with a shell on the machine; a request before authentication.
WORKER: Final = Actor("worker", "worker", "Worker")
COMMAND: Final = Actor("command", "command line", "Command line")
STRANGER: Final = Actor("stranger", "stranger", "Unknown")
