"""Imports: records from spreadsheets, through the same services as the API.

An import is a file, a mapping of its columns, and a result for each row. Its work is leased: a dry
run, the import itself, or the undoing of it.
"""
