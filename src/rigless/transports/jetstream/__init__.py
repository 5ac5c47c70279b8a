"""What the NATS transport consists of."""
