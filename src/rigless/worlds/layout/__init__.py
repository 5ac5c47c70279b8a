"""Layouts of warehouses: navigation graph, stations, chargers, parking places and devices."""
