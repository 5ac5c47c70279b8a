"""AGV: a config-driven warehouse robot; NATS JetStream."""
