"""The robot's modules, one for each group of messages. Each owns its part of the state and says what belongs to its group."""
