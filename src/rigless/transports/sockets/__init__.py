"""Sockets that several transports share."""
