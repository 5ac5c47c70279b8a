"""The machine: drive, motors, inputs, safety and battery, simulated or behind real drivers."""
