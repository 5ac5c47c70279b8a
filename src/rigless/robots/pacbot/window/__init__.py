"""The native window of `rigless run pacbot --window`: a process of its own that asks the host for a picture, draws it, and says which
keys are held. Physics and window share nothing but a socket, so neither ever waits for the other's work."""
