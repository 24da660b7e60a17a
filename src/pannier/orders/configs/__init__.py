"""Order configurations: a company's types of order, each with its flow."""
