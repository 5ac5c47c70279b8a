"""The grblHAL controller: main loop, motion, alarms, realtime commands, settings and reports."""
