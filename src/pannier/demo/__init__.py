"""The demo: a small courier company in Singapore, with seed data, history and a simulation."""
