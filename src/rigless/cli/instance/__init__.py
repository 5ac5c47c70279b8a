"""Commands for an instance that is running: `rigless ctl` and `rigless send`."""
