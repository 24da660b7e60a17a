"""Changes that recipients make on the tracking page, within what their company allows."""
