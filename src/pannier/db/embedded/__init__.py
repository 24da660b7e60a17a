"""The embedded PostgreSQL server. It lives in the data directory and stops with its process.

Pannier runs the wheel's programs itself. A *location* is where a server lives, a *cluster* is the
files of its databases. A server is *started* by this process or *attached* to.
"""

from pannier.db.embedded.account import EmbeddedError
from pannier.db.embedded.location import Location, exists
from pannier.db.embedded.server import Server, find

__all__ = ["EmbeddedError", "Location", "Server", "exists", "find"]
