"""The native window of `rigless run pacbot --window`.

It is a process of its own that requests a picture from the host, draws it, and sends the keys that
are held. Physics and window share only a socket, so neither waits for the other's work.
"""
