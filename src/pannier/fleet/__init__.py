"""Drivers, vehicles and fleets, their positions, and issues.

A *driver* is a person with a phone; a *vehicle* has at most one driver. A *fleet* is a group of
both. A *fix* is a reported position; the newest one is the current position. *Presence* is being
online. An *issue* is a reported problem, which is resolved later.
"""
