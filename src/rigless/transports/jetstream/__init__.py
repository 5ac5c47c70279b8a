"""Parts of the NATS JetStream transport."""
