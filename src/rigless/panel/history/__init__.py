"""Numbers over simulated time for plots, from the start of the run and in bounded memory."""
