(A handshake: ask for a part with output 10, wait for it on input 10, set output 11 with the start of the move, say done.)
G21 G90 G94
M64 P10
M66 P10 L3 Q5
M65 P10
M62 P11
G1 X20 F1800
M63 P11
G1 X0
M64 P12
G4 P0.1
M65 P12
M30
