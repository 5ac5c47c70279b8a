"""The protobuf side of the SangamIO wire: the schema and a fast encoder of telemetry."""
