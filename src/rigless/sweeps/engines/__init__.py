"""Engines of sweeps: each carries out tasks on some workers and returns rows as they end."""
