"""Ticks of many AGVs in one call, for the ticks in which a robot only drives on or stands."""
