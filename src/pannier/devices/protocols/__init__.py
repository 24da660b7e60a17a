"""Parsers of third-party protocols into items. They are pure; the handlers are in `ingest`."""
