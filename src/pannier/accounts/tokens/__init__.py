"""Tokens: what a person or a device that has been let in once shows from then on.

One table holds those of operators, customers, drivers and devices. A *holder* is whom a token
speaks for; `enter` in `auth.py` is the one look-up behind every door.
"""
