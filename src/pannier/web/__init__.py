"""What every HTTP door shares: problems, request ids, limits, idempotency, lists, documents."""
