"""Messages between dispatch and drivers: a thread for each driver and for each order."""
