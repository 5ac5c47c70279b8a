"""Drivers for a PLC on Modbus TCP, and a simulated PLC to try them on."""
