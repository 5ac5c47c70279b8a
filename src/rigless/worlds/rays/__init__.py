"""Parts of ray casting: vectors of the processor, and shapes that are not in the map."""
