"""Tokens of signed-in people and of devices.

One table stores the tokens of operators, customers, drivers and devices. A *holder* is the person
or device that a token authenticates. `TokenLookup.authenticate` in `auth.py` is the only look-up.
"""
