(A weld seam: current, voltage and wire on the analog outputs, gas, arc, seam, crater.)
G21 G90 G94
G0 X-10 Y20 Z30 A0 B40 C0
M68 E0 Q4.5 (180 A)
M68 E1 Q4.4 (22 V)
M68 E2 Q4 (8 m/min)
M7 (gas)
M3 (arc)
M66 P0 L3 Q3 (wait for the arc detector, at most 3 s)
G1 X10 F55 (the seam: 55 deg/min of joint 1 is about 10 mm/s at the torch)
M5
G4 P1.2 (crater fill, burn-back and post-flow)
M9
G0 Y-45 Z90 B45
M30
