"""The robot as a VDA 5050 master sees it: a second front end of the same core, over MQTT."""
