"""The vacuum's lidar: compiled beams of one turn, and the buffers that they fill."""
