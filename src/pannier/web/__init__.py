"""The HTTP layer of all APIs: problems, request ids, limits, idempotency, lists, OpenAPI."""
