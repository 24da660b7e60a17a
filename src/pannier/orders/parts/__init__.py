"""Parts of orders through their own doors: payloads, stops and items, in an order or in none."""
