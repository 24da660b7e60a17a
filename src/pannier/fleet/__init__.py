"""The fleet: who carries, with what, in which group, where they are, and what went wrong.

A *driver* is a person with a phone; a *vehicle* has at most one driver. A *fleet* groups both.
A *fix* is a position somebody reports; the newest one is where its subject is. *Presence* is
being online. An *issue* is something that went wrong, reported and some day resolved.
"""
