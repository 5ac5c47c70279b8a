"""Parts of the DDS transport: the Cyclone participant, its settings and sample types."""
