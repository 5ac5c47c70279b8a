"""A weld seam in virtual time: a program streamed to the controller, and the weld it makes."""

from pathlib import Path

import rigless

PROGRAM = Path(__file__).parent / "programs" / "weld_seam.nc"


def main() -> None:
    sim = rigless.load("welder", seed=7)
    sim.send("welder", "grbl", PROGRAM.read_bytes())  # as a G-code sender would
    print("   time  state  phase          current  heat input   length")
    weld = sim.truth("welder").weld
    for _ in range(16):
        sim.run(seconds=2.0)
        truth = sim.truth("welder")
        weld = truth.weld
        heat = f"{weld.current_a:7.0f} A {weld.heat_input_kjpmm:6.3f} kJ/mm"
        row = f"{weld.phase:12} {heat} {weld.length_mm:6.1f} mm"
        print(f"{sim.now_s:5.0f} s  {truth.mode:5}  {row}")
    replies = "".join(message.text for message in sim.take("welder", "grbl"))
    assert "[MSG:Pgm End]" in replies
    assert "error" not in replies
    seam = f"{weld.length_mm:.0f} mm of seam, {weld.deposited_g:.1f} g of wire"
    print(f"{weld.arc_s:.1f} s of arc, {seam}")


if __name__ == "__main__":
    main()
