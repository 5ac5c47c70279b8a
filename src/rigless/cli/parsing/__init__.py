"""Options and arguments of commands: completion, special options, and errors."""
