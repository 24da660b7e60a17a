"""Orders: what travels, by which activity flow, and how far it has come.

A *flow* is the map of *activities* an order may go through; a *stop* of a multi-stop order goes
through a *sub-flow* of its own. A *move* is one step on that map.
"""
