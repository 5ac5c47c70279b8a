(A weld seam with a round corner in the Cartesian profile: --set coordinates=cartesian.)
(X Y Z are the torch tip in mm from the base, A B C its roll, pitch and yaw; A180 points straight down, B leans it.)
G21 G90 G94 G17
G0 X420 Y-80 Z400 A180 B-15 C0 (point to point, above the part)
G1 Z300 F6000 (down to the seam)
M68 E0 Q4.5 (180 A)
M68 E1 Q4.4 (22 V)
M68 E2 Q4 (8 m/min)
M7 (gas)
M3 (arc)
M66 P0 L3 Q3 (wait for the arc detector, at most 3 s)
G1 Y40 F600 (10 mm/s at the tip)
G2 X460 Y80 I40 J0 C-30 (a quarter turn of radius 40, the torch turning with it)
G1 X520
M5
G4 P1.2 (crater fill, burn-back and post-flow)
M9
G1 Z400 F6000
M30
