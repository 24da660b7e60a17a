"""Pure rules that derive events and trips from readings, in the time of the events."""
