"""Operate the simulated PLC: `python -m modbus_plc.hand estop on`, `fault 1 on`, `obstacle 500`."""

import argparse

from pymodbus import ModbusException
from pymodbus.client import ModbusTcpClient

from modbus_plc.simulator import DISTANCE, NOTHING, PRESSED, TRIPS


def main() -> None:
    words = argparse.ArgumentParser(
        prog="python -m modbus_plc.hand", description="Do something to the simulated PLC."
    )
    words.add_argument("--host", default="127.0.0.1")
    words.add_argument("--port", type=int, default=5020)
    deeds = words.add_subparsers(dest="deed", required=True)
    deeds.add_parser("estop", help="press or release it").add_argument(
        "state", choices=["on", "off"]
    )
    fault = deeds.add_parser("fault", help="break a drive, or repair it")
    fault.add_argument("drive", type=int, help="1 for the first")
    fault.add_argument("state", choices=["on", "off"])
    deeds.add_parser("obstacle", help="put something in front").add_argument(
        "mm", type=int, help="-1: nothing"
    )
    given = words.parse_args()
    with ModbusTcpClient(given.host, port=given.port, timeout=2) as plc:
        try:
            if given.deed == "obstacle":
                answer = plc.write_register(
                    DISTANCE, given.mm if 0 <= given.mm < NOTHING else NOTHING
                )
            else:
                coil = PRESSED if given.deed == "estop" else TRIPS - 1 + given.drive
                answer = plc.write_coil(coil, given.state == "on")
        except ModbusException as error:
            words.exit(2, f"no PLC answers at {given.host}:{given.port}: {error}\n")
        if answer.isError():
            words.exit(2, "the PLC refuses: is there such a drive?\n")


if __name__ == "__main__":
    main()
