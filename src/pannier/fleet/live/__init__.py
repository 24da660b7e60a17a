"""Current positions and states of the whole fleet."""
