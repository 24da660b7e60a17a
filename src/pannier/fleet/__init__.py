"""Drivers, vehicles and fleets, their positions, and issues.

A *driver* is a person with a phone. A *vehicle* has at most one driver. A *fleet* is a group of
both. A *fix* is a reported position. The newest fix is the current position. *Presence* is whether
a driver is online. An *issue* is a reported problem.
"""
