"""What follows from readings: pure rules, in the time of the events, whenever those came."""
