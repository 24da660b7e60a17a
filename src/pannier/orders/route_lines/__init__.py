"""Lines of orders' routes on maps: along streets, or straight where no engine knows them."""
