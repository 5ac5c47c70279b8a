"""The competition's game: the board, its rules, the ghosts, and the frames that tell clients of it. Facts are those of the
public game engine (Pacbot-Competition/Pacbot-2 on GitHub, its server), read for what it does and written anew."""
