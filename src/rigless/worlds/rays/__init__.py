"""Parts of ray casting: vectors of the processor, graphics processors, and maps of many robots."""
