"""The competition's game: the board, the rules, the ghosts, and the frames for clients.

Facts are those of the public game engine (Pacbot-Competition/Pacbot-2 on GitHub, its server). The
code is our own.
"""
