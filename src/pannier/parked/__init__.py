"""Parked work: what the worker failed at, set aside with its error so that the rest goes on.

It is tried again by itself, ever more rarely, and at once when somebody says so. A failure that
is nobody's fault, such as a database that is away, parks nothing.
"""
