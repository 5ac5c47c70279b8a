(Joint moves: home pose, a few waypoints, back. Axes X Y Z A B C are joints 1 to 6 in degrees.)
G21 G90 G94
G0 X0 Y-45 Z90 A0 B45 C0
G1 X40 Y-30 Z75 B50 F3600
G1 X40 Y-10 Z60 A20 B40 C30
G0 X-40
G2 X-30 Y0 I10 J0 F1200 (an arc of joints 1 and 2)
G0 X0 Y-45 Z90 A0 B45 C0
M30
