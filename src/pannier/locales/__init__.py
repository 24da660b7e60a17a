"""Texts in every language: a folder per language, and how each language writes times."""
