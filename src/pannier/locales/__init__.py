"""Translations, with a folder for each language, and formats of times."""
