"""Companies, their stores, operators and roles, API keys, and the audit log."""
