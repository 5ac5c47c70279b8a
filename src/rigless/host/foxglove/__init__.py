"""A live WebSocket server for Foxglove."""
