"""G-code: words, expressions, parameters, modal state, and the interpreter that turns a line into steps."""
