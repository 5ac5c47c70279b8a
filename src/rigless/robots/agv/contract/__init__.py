"""The contract with backends in other languages: JSON Schemas of all messages, and AsyncAPI."""
