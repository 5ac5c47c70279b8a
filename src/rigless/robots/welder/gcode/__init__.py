"""G-code: words, expressions, parameters, modal state, and the interpreter."""
