"""The PostgreSQL that Pannier brings along: it lives in the data directory and ends with us.

We use the wheel's programs under our own care. A *location* is where a server lives, a *cluster*
the files of its databases, and a server is *started* by this process or *attached* to.
"""

from pannier.db.embedded.account import EmbeddedError
from pannier.db.embedded.location import Location, exists
from pannier.db.embedded.server import Server, find

__all__ = ["EmbeddedError", "Location", "Server", "exists", "find"]
