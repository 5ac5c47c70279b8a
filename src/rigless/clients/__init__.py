"""Client libraries for scripts that talk to a device over its real interface, real or simulated."""
