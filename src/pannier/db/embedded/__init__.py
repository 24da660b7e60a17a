"""The embedded PostgreSQL server. It lives in the data directory and stops with its process.

Pannier runs the wheel's programs itself. A *location* consists of a server's folders and account, a
*cluster* of the files of its databases. A server is *started* by this process or *attached* to.
"""

from pannier.db.embedded.account import EmbeddedError
from pannier.db.embedded.location import Location, has_database
from pannier.db.embedded.server import Server, find_location

__all__ = ["EmbeddedError", "Location", "Server", "find_location", "has_database"]
