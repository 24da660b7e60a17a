"""Who makes a change: it travels with `Db`, so that whatever writes a row knows."""

from typing import Final, Literal

import msgspec

Kind = Literal["operator", "key", "driver", "customer", "device", "worker", "command", "stranger"]


class Actor(msgspec.Struct, frozen=True):
    """Whoever changes something, as the log will name them."""

    kind: Kind
    id: str
    name: str
    request_id: str = ""
    address: str = ""


# A step of the worker; whoever has a shell on the machine; a request before its door let it in.
WORKER: Final = Actor("worker", "worker", "Worker")
COMMAND: Final = Actor("command", "command line", "Command line")
STRANGER: Final = Actor("stranger", "stranger", "Somebody unknown")
