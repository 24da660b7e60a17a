"""Orders: what travels, by which activity flow, and how far it has come.

A *flow* is the map of *activities* an order may go through; a *stop* of a multi-stop order goes
through a *sub-flow* of its own. A *move* is one step on that map.
"""

from pannier.orders import names as _names  # noqa: F401 - it answers packages below
from pannier.orders.configs import queries as _queries  # noqa: F401 - it answers packages below
