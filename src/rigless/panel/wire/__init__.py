"""The Wire tab: the messages on robots' ports, their statistics, and forms to send more."""
