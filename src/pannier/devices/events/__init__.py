"""Reading device events: lists, a feed in the order of arrival, counts, and the latest readings."""
