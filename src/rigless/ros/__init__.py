"""ROS 2 messages, topics and their encoding, without ROS."""
