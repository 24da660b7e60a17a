"""Parked work: background work that failed, set aside with its error so that other work continues.

It is retried automatically with growing delays, and at once when an operator requests it. A failure
that is unrelated to the work, such as an unreachable database, parks nothing.
"""
