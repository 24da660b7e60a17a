"""Exporting and erasing what is kept of a person.

It is above every domain, because a person leaves traces in all of them. Each domain's `erasure.py`
erases and exports its own records; this package decides which of them are the person's.
"""
