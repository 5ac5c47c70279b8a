"""An MQTT 3.1.1 client: packets, a session that reconnects, and an embedded broker."""
