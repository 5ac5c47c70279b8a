"""VDA 5050 as data: messages, dialects, errors, action types, and the state of the front end."""
