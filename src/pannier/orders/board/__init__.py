"""The dispatch board: orders in columns by stage, with a count for each."""
