"""The board: orders in columns by how far they have come, and how many there are in each."""
