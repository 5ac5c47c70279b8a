"""Sensor models: noise, drift, and what encoders, IMUs and GPS receivers measure."""
