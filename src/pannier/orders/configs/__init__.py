"""Order configurations: the kinds of order a company has, each with its flow."""
