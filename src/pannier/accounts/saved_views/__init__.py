"""Saved views: the filters, sorting and layout of a list, saved by an operator under a name."""
