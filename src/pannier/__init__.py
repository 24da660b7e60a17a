"""Pannier: a logistics platform in one program."""
