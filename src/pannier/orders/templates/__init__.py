"""Order templates: orders that are made again and again, saved under a name."""
