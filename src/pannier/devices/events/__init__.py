"""Reading device events: lists at any depth, a feed in the order of arrival, counts, the latest."""
