"""The parts of a fleet in several processes: how they begin together and exchange poses."""
