"""The demo: a small courier company in Helsinki, with seed data, history and a simulation."""
