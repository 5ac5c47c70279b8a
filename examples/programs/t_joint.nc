(The fillet weld of the T-joint on the weld table: --set coordinates=cartesian --cell weld_table.)
(A180 B-45 points the torch into the corner at 45 degrees; its tip is the end of 15 mm of wire.)
G21 G90 G94
G0 X700 Y-120 Z520 A180 B-45 C0 (point to point, in front of the corner)
G1 X796 Z408 F3000 (to the corner)
M68 E0 Q4.5 (180 A)
M68 E1 Q4.4 (22 V)
M68 E2 Q4 (8 m/min)
M7 (gas)
M3 (arc)
M66 P0 L3 Q3 (wait for the arc detector, at most 3 s)
G1 Y120 F600 (the seam at 10 mm/s)
M5
G4 P1.2 (crater fill, burn-back and post-flow)
M9
G1 X700 Z520 F3000
M30
