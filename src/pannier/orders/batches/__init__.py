"""Batches: up to 500 orders in one request, each created or refused on its own."""
